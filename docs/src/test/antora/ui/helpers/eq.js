module.exports = (one, other) => one === other
