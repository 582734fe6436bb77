/** Texts for people. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time span, as short as it is useful: 4 s, 3 min 05 s, 2 h 10 min. */
export function span(millis) {
  const ms = Math.max(0, millis);
  if (ms < MINUTE) {
    return `${Math.floor(ms / SECOND)} s`;
  }
  if (ms < HOUR) {
    return `${Math.floor(ms / MINUTE)} min ${two((ms % MINUTE) / SECOND)} s`;
  }
  if (ms < DAY) {
    return `${Math.floor(ms / HOUR)} h ${two((ms % HOUR) / MINUTE)} min`;
  }
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** A configured duration: 20 s, 10 min. */
export function duration(millis) {
  return span(millis).replace(/ 00 (s|min)$/, '');
}

function two(value) {
  return String(Math.floor(value)).padStart(2, '0');
}

/** The milliseconds of a duration in ISO-8601, such as PT1M30S; undefined without one. */
export function millis(duration) {
  const parts = duration?.match(/^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/);
  return parts ? (parts[1] ?? 0) * HOUR + (parts[2] ?? 0) * MINUTE + (parts[3] ?? 0) * SECOND : undefined;
}

/** A number with separators; undefined without one. */
export function grouped(number) {
  return number?.toLocaleString('en');
}

/** A number with a noun. */
export function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Whether one of the texts has what is looked for. */
export function matches(query, ...texts) {
  return query === '' || texts.some(text => text?.toLowerCase().includes(query));
}

/** What a reader would not see: an empty or blank text, blanks at its ends, and characters without a shape. */
const INVISIBLE = /^$|^\s|\s$|[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]/;
const ESCAPED = /[\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]/g;

/** A key as text: quoted and escaped if some of it would be invisible. */
export function keyText(key) {
  return !INVISIBLE.test(key) ? key
    : JSON.stringify(key).replace(ESCAPED, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
