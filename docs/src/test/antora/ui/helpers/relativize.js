const { posix: path } = require('path')

module.exports = (to, { data: { root } }) => {
  const from = root.page.url
  const [target, hash] = to.split('#')
  return (path.relative(path.dirname(from + '.'), target) || path.basename(target)) + (hash ? '#' + hash : '')
}
