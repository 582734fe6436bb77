import { html, svg } from 'lit';
import { grouped } from './redis-bulkhead-format.js';

const WIDTH = 160;
const HEIGHT = 28;
/** The distance of the hatches. */
const HATCH = 5;
/** For the line, which is as wide above as below its place. */
const EDGE = 2;
/** What idle permits are. */
export const IDLE = 'Idle permits: instances keep them for their next calls, and return them when another instance needs one';

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
        <span class="number cut">${grouped(row.inUse)}${row.permits ? html`<span class="about"> · ${grouped(row.permits)} each</span>` : ''}</span>
      </div>`;
  }
  return html`
    <div class="use">
      <div class="bar" role="img" aria-label="${row.inUse} of ${row.limit ?? 'an unknown number of'} permits in use${idle(row)}">
        ${row.limit ? html`${fill(row, alarming)}${kept(row)}` : ''}
      </div>
      <span class="number cut">${grouped(row.inUse)}${row.limit ? html`<span class="about"> of ${grouped(row.limit)}</span>`
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
  return row.idle > 0 ? `, ${grouped(row.idle)} idle` : '';
}

function percent(use) {
  return `${Math.min(100, Math.round(use * 100))}%`;
}

/** The use during the last minutes as a small plot; times when no page was open are hatched. */
export function plot(row) {
  const points = row.history ?? [];
  const most = Math.max(0, ...points.map(point => point ?? 0));
  const top = Math.max(row.kind === 'keyed' ? 1 : row.limit ?? 1, most, 1);
  const x = i => (i * WIDTH / Math.max(1, points.length)).toFixed(1);
  const y = value => (HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE) / top).toFixed(1);
  return html`
    <svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"
      aria-label="at most ${most} in use during the last five minutes">
      <title>At most ${most} in use during the last five minutes. Where it is hatched, no page was open</title>
      ${stretches(points).map(({ known, from, to, values }) => {
        if (!known) {
          return svg`<path class="gap" d="${hatches(Number(x(from)), Number(x(to)))}"></path>`;
        }
        // Each value lasts for its time span.
        const line = values.map((value, i) => `${x(from + i)},${y(value)} L${x(from + i + 1)},${y(value)}`).join(' L');
        return svg`
          <line class="ground" x1="${x(from)}" x2="${x(to)}" y1="${HEIGHT - 1}" y2="${HEIGHT - 1}"></line>
          <path class="area" d="M${x(from)},${HEIGHT - 1} L${line} L${x(to)},${HEIGHT - 1} Z"></path>
          <path class="line" d="M${line}"></path>`;
      })}
    </svg>`;
}

/** Parts with values, and parts without. */
function stretches(points) {
  const all = [];
  points.forEach((value, i) => {
    const known = value != null;
    if (all.length === 0 || all[all.length - 1].known !== known) {
      all.push({ known, from: i, to: i, values: [] });
    }
    const last = all[all.length - 1];
    last.to = i + 1;
    last.values.push(value);
  });
  return all;
}

/** Diagonal lines from the ground up to a third of the height. */
function hatches(from, to) {
  const lines = [];
  for (let at = from; at + HATCH <= to; at += HATCH) {
    lines.push(`M${at.toFixed(1)},${HEIGHT - 1} L${(at + HATCH).toFixed(1)},${HEIGHT - 1 - HATCH * 2}`);
  }
  return lines.join(' ');
}
