import { html, svg } from 'lit';

const WIDTH = 160;
const HEIGHT = 28;
/** For the line, which is as wide above as below its place. */
const EDGE = 2;
/** What idle permits are. */
const IDLE = 'Idle permits: instances keep them for their next calls, and return them when another instance needs one';

/**
 * How full a limit is: a bar and the numbers.
 *
 * @param alarming whether calls fail: a full bulkhead alone does its work
 */
export function useBar(row, alarming) {
  if (row.kind === 'keyed') {
    return html`
      <div class="use">
        <div class="bar" role="img" aria-label="the fullest key is at ${percent(row.use)}" title="The fullest key">
          ${fill(row, alarming)}
        </div>
        <span class="number cut">${row.inUse}${row.permits ? html`<span class="about"> · ${row.permits} each</span>` : ''}</span>
      </div>`;
  }
  return html`
    <div class="use">
      <div class="bar" role="img" aria-label="${row.inUse} of ${row.limit ?? 'an unknown number of'} permits in use${idle(row)}">
        ${row.limit ? html`${fill(row, alarming)}${kept(row)}` : ''}
      </div>
      <span class="number cut">${row.inUse}${row.limit ? html`<span class="about"> of ${row.limit}</span>`
        : html`<span class="about" title="No instance has used the bulkhead within the last minute, or their limits differ"> of ?</span>`}${
        row.idle > 0 ? html`<span class="about" title="${IDLE}">${idle(row)}</span>` : ''}</span>
    </div>`;
}

function fill(row, alarming) {
  const level = alarming ? 'fill alarm' : row.use >= 1 && row.waiting > 0 ? 'fill high' : 'fill';
  return html`<div class="${level}" style="width: ${percent(row.use)}"></div>`;
}

/** The part of idle permits, behind that of those in use. */
function kept(row) {
  return row.idle > 0 ? html`<div class="kept" title="${IDLE}" style="width: ${percent(row.idle / row.limit)}"></div>` : '';
}

/** How many permits are idle, for the end of a text. */
export function idle(row) {
  return row.idle > 0 ? `, ${row.idle} idle` : '';
}

function percent(use) {
  return `${Math.min(100, Math.round(use * 100))}%`;
}

/** The use during the last minutes as a small plot; nothing is drawn for times when no page was open. */
export function plot(row) {
  const points = row.history ?? [];
  const most = Math.max(0, ...points.map(point => point ?? 0));
  const top = Math.max(row.kind === 'keyed' ? 1 : row.limit ?? 1, most, 1);
  const x = i => (i * WIDTH / Math.max(1, points.length - 1)).toFixed(1);
  const y = value => (HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE) / top).toFixed(1);
  return html`
    <svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"
      aria-label="at most ${most} in use during the last five minutes">
      <title>At most ${most} in use during the last five minutes</title>
      ${svg`<line class="ground" x1="0" x2="${WIDTH}" y1="${HEIGHT - 1}" y2="${HEIGHT - 1}"></line>`}
      ${stretches(points).map(stretch => {
        const line = stretch.map(({ i, value }) => `${x(i)},${y(value)}`).join(' L');
        // A stretch of one point has a width too.
        const from = x(stretch[0].i - (stretch.length === 1 ? 1 : 0));
        const to = x(stretch[stretch.length - 1].i);
        const path = stretch.length === 1 ? `${from},${y(stretch[0].value)} L${line}` : line;
        return svg`
          <path class="area" d="M${from},${HEIGHT - 1} L${path} L${to},${HEIGHT - 1} Z"></path>
          <path class="line" d="M${path}"></path>`;
      })}
    </svg>`;
}

/** Parts without gaps. */
function stretches(points) {
  const all = [];
  let open = false;
  points.forEach((value, i) => {
    if (value == null) {
      open = false;
    } else if (open) {
      all[all.length - 1].push({ i, value });
    } else {
      all.push([{ i, value }]);
      open = true;
    }
  });
  return all;
}
