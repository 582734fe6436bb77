import { LitElement, html, css } from 'lit';
import { columnBodyRenderer } from '@vaadin/grid/lit.js';
import '@vaadin/button';
import '@vaadin/grid';
import '@vaadin/grid/vaadin-grid-sort-column.js';
import '@vaadin/icon';
import '@vaadin/tabs';
import { count, keyText, span } from './redis-bulkhead-format.js';
import { GridRows, flattened } from './redis-bulkhead-grid-rows.js';
import { instanceRows, isShortly } from './redis-bulkhead-rows.js';
import { IDLE } from './redis-bulkhead-use.js';
import { styles } from './redis-bulkhead-styles.js';

/** Leases are renewed when a third is over. One with less than a third left has missed a renewal. */
const OVERDUE = 1 / 3;
/** With more executions than these, instances are closed at first. */
const EXECUTIONS_SHOWN_AT_FIRST = 50;

/** Who holds permits of one limit and who waits for them. */
export class RedisBulkheadOccupants extends LitElement {

  static styles = [styles, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    vaadin-tabs { box-shadow: none; margin-bottom: 0.25em; }
    vaadin-grid { flex: 1 1 0; min-height: 12em; height: auto; }
    .instance { display: flex; align-items: center; gap: 0.4em; font-weight: 500; }
    .execution { padding-left: 2em; }
    .soon { color: var(--lumo-error-text-color); }
    .note { font-size: var(--lumo-font-size-s); padding: 0.4em 0; }
    vaadin-button { margin: 0; }
  `];

  static properties = {
    row: { attribute: false },
    now: { attribute: false },
    filtered: { type: Boolean },
    away: { type: Boolean },
    held: { type: Boolean },
    _tab: { state: true },
  };

  constructor() {
    super();
    this._tab = 0;
    this._toggled = new Map();
    this._rows = new GridRows((rows, orders) => flattened(rows, orders, row => this._isOpen(row)));
  }

  willUpdate(changed) {
    if (changed.has('row') && changed.get('row')?.id !== this.row?.id) {
      this._tab = this.row.holders.length === 0 && this.row.waiters.length > 0 ? 1 : 0;
    }
  }

  updated() {
    const grid = this.renderRoot.querySelector('vaadin-grid');
    if (grid && !grid.dataProvider) {
      grid.dataProvider = this._rows.provider;
    }
    // Another limit or tab has rows of its own.
    const content = this._contentNow();
    this._rows.update(this._tab === 0 ? instanceRows(this.row) : this.row.waiters, grid, this.held && content === this._content);
    this._content = content;
  }

  _contentNow() {
    return `${this.row.id} ${this._tab}`;
  }

  _isOpen(row) {
    return row.kind === 'instance' && row.children.length > 0
      && (this._toggled.get(row.id) ?? (this.filtered || this.row.holders.length <= EXECUTIONS_SHOWN_AT_FIRST));
  }

  _toggle(row) {
    this._toggled.set(row.id, !this._isOpen(row));
    this._rows.reorder(this.renderRoot.querySelector('vaadin-grid'));
    this.requestUpdate();
  }

  _people() {
    return this._tab === 0 ? this.row.holders : this.row.waiters;
  }

  render() {
    const people = this._people();
    // Where not all are listed, only the sum of their weights is known.
    const held = this.row.listedWeight < this.row.inUse ? this.row.inUse : this.row.listedHolders;
    return html`
      <vaadin-tabs .selected="${this._tab}" theme="small" @selected-changed="${event => { this._tab = event.detail.value; }}">
        <vaadin-tab>Holders (${held.toLocaleString('en')})</vaadin-tab>
        <vaadin-tab>Waiters (${this.row.waiting.toLocaleString('en')})</vaadin-tab>
      </vaadin-tabs>
      ${people.length === 0 && !this._keptRows() ? this._nobody() : this._grid(people)}
      ${this._note(people)}`;
  }

  // Idle permits, and rows that stay for the pointer.
  _keptRows() {
    return this._tab === 0 && this.row.idle > 0
      || this.held && this._content === this._contentNow() && this._rows.shown.length > 0;
  }

  _nobody() {
    if (this.filtered && (this._tab === 0 ? this.row.listedHolders : this.row.listedWaiters) > 0) {
      return html`<div class="empty"><vaadin-icon icon="font-awesome-solid:filter"></vaadin-icon>
        <strong>Nothing matches the filter</strong></div>`;
    }
    return this._tab === 0
      ? html`<div class="empty"><vaadin-icon icon="font-awesome-solid:mug-hot"></vaadin-icon>
          <strong>No permit is held</strong><span>Holders appear here within a second or two.</span></div>`
      : html`<div class="empty"><vaadin-icon icon="font-awesome-solid:mug-hot"></vaadin-icon>
          <strong>No call is waiting</strong>
          <span>Calls wait when all permits are held and <code>maxWait</code> is set.</span></div>`;
  }

  _note(people) {
    const all = this._tab === 0 ? this.row.inUse : this.row.waiting;
    const listed = this._tab === 0 ? this.row.listedHolders : this.row.listedWaiters;
    const notes = [];
    if (this.filtered && people.length < listed) {
      notes.push(`${count(people.length, 'match', 'matches')} of ${listed.toLocaleString('en')}.`);
    }
    const shown = this._tab === 0 ? this.row.listedWeight : listed;
    if (shown < all) {
      notes.push(`${shown.toLocaleString('en')} of ${all.toLocaleString('en')} are listed.`);
    }
    return notes.length > 0 ? html`<div class="about note" role="status">${notes.join(' ')}</div>` : '';
  }

  _grid(people) {
    const holders = this._tab === 0;
    return html`
      <vaadin-grid theme="row-stripes compact no-border" item-id-path="id"
        aria-label="${holders ? 'Holders' : 'Waiters'}">
        <vaadin-grid-sort-column path="method" header="Method" width="220px" flex-grow="2" resizable
          ${columnBodyRenderer(one => this._method(one), [])}></vaadin-grid-sort-column>
        ${this.row.kind === 'keyed' ? html`<vaadin-grid-sort-column path="key" header="Key" width="130px" flex-grow="1" resizable
          ${columnBodyRenderer(one => one.key === undefined ? '' : html`<span title="${one.key}">${keyText(one.key)}</span>`, [])}></vaadin-grid-sort-column>` : ''}
        ${this._text('application', 'Application', '105px', 1)}
        ${this._text('instance', 'Instance', '100px', 1)}
        ${this.row.weight > 1 || this.row.weightsDiffer || this.row.weightOfCall || people.some(one => one.weight > 1) ? html`
          <vaadin-grid-sort-column path="weight" header="Weight" width="105px" flex-grow="0" resizable
            ${columnBodyRenderer(one => html`<span class="number">${one.weight}</span>`, [])}></vaadin-grid-sort-column>` : ''}
        <vaadin-grid-sort-column path="since" header="${holders ? 'Held for' : 'Waiting for'}" width="${holders ? '110px' : '130px'}" flex-grow="0" resizable
          ${columnBodyRenderer(one => one.since === undefined ? '' : html`<span class="number" title="${
            one.state === 'silent' ? 'silent since' : 'since'} ${this._time(one.since)}">${span(this.now - one.since)}</span>`, [])}></vaadin-grid-sort-column>
        ${holders ? html`<vaadin-grid-sort-column path="until" header="Lease left"
          width="${people.some(one => one.state !== 'held') ? '175px' : '120px'}" flex-grow="0" resizable
          ${columnBodyRenderer(one => this._left(one), [])}></vaadin-grid-sort-column>` : ''}
        ${!holders && people.some(one => one.timesOut !== undefined) ? html`<vaadin-grid-sort-column path="timesOut" header="Times out in"
          width="130px" flex-grow="0" resizable ${columnBodyRenderer(one => this._patience(one), [])}></vaadin-grid-sort-column>` : ''}
        <vaadin-grid-sort-column path="number" header="${holders ? 'Fencing token' : 'Ticket'}" width="185px" flex-grow="0" resizable
          ${columnBodyRenderer(one => html`<span class="mono">${one.number ?? ''}</span>`, [])}></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="permitId" header="Permit" width="150px" flex-grow="1" resizable
          ${columnBodyRenderer(one => html`<span class="mono tail" title="${one.permitId ?? ''}"><bdi>${one.permitId ?? ''}</bdi></span>`, [])}></vaadin-grid-sort-column>
        ${holders ? html`
          <vaadin-grid-column header="" width="90px" flex-grow="0" text-align="end" frozen-to-end
            ${columnBodyRenderer(one => this._revoke(one), [])}></vaadin-grid-column>` : ''}
      </vaadin-grid>`;
  }

  _text(path, header, width, grow) {
    return html`<vaadin-grid-sort-column path="${path}" header="${header}" width="${width}" flex-grow="${grow}" resizable
      ${columnBodyRenderer(one => one.inInstance ? '' : html`<span title="${one[path]}">${one[path]}</span>`, [])}></vaadin-grid-sort-column>`;
  }

  _method(one) {
    if (one.kind === 'instance') {
      const executions = one.children.length;
      const idle = one.idle > 0 ? html`<span class="badge" title="${IDLE}">${count(one.idle, 'idle permit')}</span>` : '';
      return html`
        <div class="instance ${one.gone ? 'gone' : ''}">
          ${executions === 0 ? html`<span class="untoggled"></span>` : html`
            <button class="toggle" aria-expanded="${this._isOpen(one)}" aria-label="Executions of ${one.instance}"
              @click="${() => this._toggle(one)}"><vaadin-icon icon="font-awesome-solid:chevron-right"></vaadin-icon></button>`}
          <span class="number">${executions === 0 ? '' : count(executions, 'execution')}</span>${idle}
        </div>`;
    }
    return html`<span class="tail ${this._tab === 0 ? 'execution' : ''} ${one.gone ? 'gone' : ''}" title="${one.method}"><bdi>${one.method}</bdi></span>`;
  }

  _left(one) {
    if (one.until === undefined) {
      return '';
    }
    if (one.gone) {
      return html`<span class="about">over</span>`;
    }
    const left = one.until - this.now;
    if (one.state === 'released' && left > 0) {
      return html`<span class="number" title="Released; taken until its minimum hold is over at ${this._time(one.until)}">${span(left)}
        <span class="badge">released</span></span>`;
    }
    if (one.state === 'detached' && left > 0) {
      return html`<span class="number" title="Detached; free at ${this._time(one.until)} unless a process attaches it">${span(left)}
        <span class="badge">detached</span></span>`;
    }
    if (one.state === 'silent' && left > 0) {
      return html`<span class="number soon" title="This instance does not answer. Redis heard from it last at ${this._time(one.since)}. Its permits are free at ${
        this._time(one.until)} unless Redis hears from it before">${span(left)}
        <span class="badge warning">silent</span></span>`;
    }
    if (one.state === 'leaked' && left > 0) {
      return html`<span class="number soon" title="Code dropped this permit without releasing it. The log has the place. The instance gives it back one expire after it has noticed">${span(left)}
        <span class="badge warning">leaked</span></span>`;
    }
    return left <= 0
      ? html`<span class="soon">ended</span>`
      : html`<span class="number ${left < OVERDUE * this.row.expireMillis ? 'soon' : ''}" title="until ${this._time(one.until)}">${span(left)}</span>`;
  }

  _patience(waiter) {
    if (waiter.timesOut === undefined) {
      return '';
    }
    return html`<span class="number ${isShortly(waiter.timesOut, this.row, this.now) ? 'soon' : ''}"
      title="at ${this._time(waiter.timesOut)}">${span(waiter.timesOut - this.now)}</span>`;
  }

  _revoke(holder) {
    return this.row.actionable && holder.permitId && !holder.gone
      ? html`<vaadin-button theme="tertiary small error" ?disabled="${this.away}" aria-label="Revoke the permit ${holder.permitId}"
          @click="${() => this.dispatchEvent(new CustomEvent('revoke', { detail: holder }))}">Revoke</vaadin-button>`
      : '';
  }

  _time(millis) {
    return new Date(millis).toLocaleTimeString();
  }
}

customElements.define('redis-bulkhead-occupants', RedisBulkheadOccupants);
