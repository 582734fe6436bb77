import { html, css } from 'lit';
import { QwcHotReloadElement } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { columnBodyRenderer } from '@vaadin/grid/lit.js';
import '@vaadin/button';
import '@vaadin/grid';
import '@vaadin/grid/vaadin-grid-sort-column.js';
import '@vaadin/icon';
import '@vaadin/progress-bar';
import '@vaadin/text-field';
import { count, duration, grouped, keyText, span } from './redis-bulkhead-format.js';
import { GridRows, flattened } from './redis-bulkhead-grid-rows.js';
import { LiveState, spreadRequestNumbers } from './redis-bulkhead-live.js';
import { aboutToTimeOut, bulkheadRows } from './redis-bulkhead-rows.js';
import { styles } from './redis-bulkhead-styles.js';
import { idle, plot, useBar } from './redis-bulkhead-use.js';
import './redis-bulkhead-actions.js';
import './redis-bulkhead-occupants.js';

/** Bulkheads with more keys than these are closed at first. */
const KEYS_SHOWN_AT_FIRST = 10;
/** More rows than these scroll, unless the user makes more room. */
const ROWS_WITHOUT_SCROLLING = 10;
/** In pixels. */
const ROW = 41;
const HEAD = 42;
const LEAST = 120;
/** How long rows stay where they are after the pointer has moved, so that a click hits what it is aimed at. */
const HELD_MILLIS = 4000;
/** Where the height of the list is remembered. */
const HEIGHT = 'redis-bulkhead.height';

/** Shows every bulkhead with its use, who holds its permits and who waits, live. */
export class QwcRedisBulkheadHolders extends QwcHotReloadElement {

  static styles = [styles, css`
    :host { display: flex; flex-direction: column; gap: var(--rb-gap); padding: 0 1em 1em; height: 100%; box-sizing: border-box; overflow: auto; }
    .live { display: inline-flex; align-items: center; gap: 0.5em; white-space: nowrap; }
    .dot { width: 0.6em; height: 0.6em; border-radius: 50%; background: var(--lumo-success-color); }
    .dot.away { background: var(--lumo-error-color); }
    .dot.silent { background: var(--rb-warning); }
    .overview { flex: none; }
    .splitter { flex: none; height: 9px; margin: -0.5em 0; cursor: row-resize; touch-action: none; display: flex; align-items: center; justify-content: center; }
    .splitter::before { content: ''; width: 3em; height: 3px; border-radius: 2px; background: var(--lumo-contrast-20pct); }
    .splitter:hover::before, .splitter:focus-visible::before { background: var(--lumo-primary-color); }
    .splitter:focus-visible { outline: none; }
    .name { display: flex; align-items: center; gap: 0.5em; min-width: 0; }
    .name .title { font-weight: 500; }
    /* Where there is little room, the name is what matters. */
    .name .badge { display: inline-block; flex: 0 20 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
    .name .badge.error { flex: none; }
    .name.key { padding-left: 2.1em; }
    .name.key .title { font-weight: 400; }
    .name.note { padding-left: 2.1em; color: var(--lumo-secondary-text-color); font-size: var(--lumo-font-size-s); }
    .use { display: flex; align-items: center; gap: 0.75em; }
    .bar { display: flex; flex: 1 1 4em; min-width: 1.5em; height: 0.5em; border-radius: 0.25em; overflow: hidden; background: var(--lumo-contrast-10pct); }
    .use .number { flex: 0 1 8em; min-width: 4em; }
    .fill { height: 100%; border-radius: inherit; background: var(--lumo-primary-color); transition: width 0.3s; }
    .kept { height: 100%; background: var(--lumo-primary-color); opacity: 0.3; transition: width 0.3s; }
    .fill.high { background: var(--rb-warning); }
    .fill.alarm { background: var(--lumo-error-color); }
    .alarming { color: var(--lumo-error-text-color); font-weight: 500; }
    .plot { display: block; width: 100%; height: 28px; color: var(--lumo-primary-color); }
    .plot .area { fill: currentColor; opacity: 0.18; }
    .plot .line { fill: none; stroke: currentColor; stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
    .plot .gap { fill: none; stroke: var(--lumo-contrast-30pct); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .plot .ground { stroke: var(--lumo-contrast-20pct); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .details { flex: 1 1 auto; display: flex; flex-direction: column; gap: 0.5em; min-height: 22em; border-top: 1px solid var(--lumo-contrast-10pct); padding-top: var(--rb-gap); }
    .details header { display: flex; align-items: center; gap: 0.75em; flex-wrap: wrap; }
    .details h2 { margin: 0; font-size: var(--lumo-font-size-l); font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
    .details h2 .about { font-weight: 400; }
    .details vaadin-button { margin: 0; }
    redis-bulkhead-occupants { flex: 1 1 auto; }
    .loading { max-width: 20em; margin: 4em auto; text-align: center; }
  `];

  static properties = {
    _state: { state: true },
    _query: { state: true },
    _selected: { state: true },
    _now: { state: true },
    _silence: { state: true },
    _height: { state: true },
  };

  constructor() {
    super();
    spreadRequestNumbers(JsonRpc);
    this.jsonRpc = new JsonRpc(this, false);
    // The object itself has every property that it is asked for, so templates take it for one of their own.
    this._changes = {
      revoke: what => this.jsonRpc.revoke(what),
      resize: what => this.jsonRpc.resize(what),
      resetSize: what => this.jsonRpc.resetSize(what),
    };
    this._query = '';
    this._toggled = new Map();
    this._tree = [];
    this._heldUntil = 0;
    // Rows for which there is room; never fewer, so that nothing below moves when keys come and go.
    this._room = 0;
    this._height = Number(localStorage.getItem(HEIGHT)) || undefined;
    this.addEventListener('pointermove', event => this._hold(event));
    this.addEventListener('pointerleave', () => { this._heldUntil = 0; });
    this._rows = new GridRows((rows, orders) => flattened(rows, orders, row => this._isOpen(row)));
    this._live = new LiveState(this.jsonRpc, state => this._onState(state), () => this._onTick());
  }

  connectedCallback() {
    super.connectedCallback();
    this._live.start();
  }

  disconnectedCallback() {
    this._live.stop();
    super.disconnectedCallback();
  }

  /** The application was reloaded, or is there again. */
  hotReload() {
    this._live.restart();
  }

  _onState(state) {
    this._state = state;
    this._onTick();
  }

  _onTick() {
    this._now = this._live.now();
    this._silence = this._live.silence();
  }

  willUpdate(changed) {
    if (!this._state?.bulkheads) {
      return;
    }
    if (changed.has('_state') || changed.has('_query')) {
      this._tree = bulkheadRows(this._state.bulkheads, this._query.trim().toLowerCase());
    }
    const all = this._tree.flatMap(row => [row, ...row.children]).filter(row => row.kind !== 'note');
    this._held = performance.now() < this._heldUntil;
    if (!this._held || this._room === 0) {
      const rows = flattened(this._tree, [], row => this._isOpen(row)).length;
      this._room = Math.max(this._room, Math.min(rows, ROWS_WITHOUT_SCROLLING));
    }
    this._detail = all.find(row => row.id === this._selected);
    if (!this._detail && (this._query !== '' || this._selected === undefined || !this._isKnown(this._selected))) {
      this._detail = all.find(row => row.kind !== 'keyed' && row.holders.length + row.waiters.length > 0)
        ?? all.find(row => row.inUse > 0) ?? all[0];
      this._selected = this._query === '' ? this._detail?.id : this._selected;
    }
  }

  // A key that is unused for a moment stays selected: the next call may use it again.
  _isKnown(id) {
    const [name] = JSON.parse(id);
    return this._state.bulkheads.some(bulkhead => bulkhead.name === name);
  }

  updated() {
    const grid = this.renderRoot.querySelector('vaadin-grid.overview');
    if (grid && !grid.dataProvider) {
      grid.dataProvider = this._rows.provider;
    }
    this._rows.update(this._tree, grid, this._held && this._query === this._shownQuery);
    this._shownQuery = this._query;
    if (grid) {
      const selected = this._rows.shown.find(row => row.id === this._detail?.id);
      if (grid.selectedItems[0] !== selected) {
        grid.selectedItems = selected ? [selected] : [];
      }
    }
  }

  render() {
    return html`
      ${this._error()}
      ${this._body()}
      <redis-bulkhead-actions .application="${this._changes}" ?away="${this._isAway()}"></redis-bulkhead-actions>`;
  }

  _body() {
    if (!this._state?.bulkheads) {
      return this._state?.error ? '' : html`
        <div class="loading" role="status"><p class="about">Reading from Redis …</p><vaadin-progress-bar indeterminate></vaadin-progress-bar></div>`;
    }
    if (this._state.bulkheads.length === 0) {
      return html`
        <div class="empty">
          <vaadin-icon icon="font-awesome-solid:users-line"></vaadin-icon>
          <strong>No bulkheads yet</strong>
          <span>Add <code>@RedisBulkhead(name = "reports", permits = 5)</code> to a method.</span>
        </div>`;
    }
    return html`${this._toolbar()}${this._notes()}${this._overview()}${this._details()}`;
  }

  // Changes would fail, and what is shown may be outdated.
  _isAway() {
    return this._state?.error !== undefined || this._silence > 0;
  }

  _error() {
    const state = this._state;
    if (state?.error) {
      return html`
        <div class="banner error" role="alert">
          <vaadin-icon icon="font-awesome-solid:plug-circle-xmark"></vaadin-icon>
          <div>
            <strong>${state.at === undefined ? 'Redis is not available' : `Redis is not available. This is the state of ${span(this._now - Date.parse(state.at))} ago`}</strong>
            <span class="about">${state.error}. The page updates again when Redis is back.</span>
          </div>
        </div>`;
    }
    return '';
  }

  _toolbar() {
    const rows = this._state.bulkheads.flatMap(bulkhead => bulkhead.limits);
    const total = value => rows.reduce((all, limit) => all + limit[value], 0);
    return html`
      <div class="toolbar">
        <vaadin-text-field clear-button-visible placeholder="Filter by bulkhead, key, method, instance, permit …" accessible-name="Filter"
          .value="${this._query}" @value-changed="${event => { this._query = event.detail.value; }}">
          <vaadin-icon slot="prefix" icon="font-awesome-solid:magnifying-glass"></vaadin-icon>
        </vaadin-text-field>
        <span class="spacer"></span>
        <span class="about number">${count(this._state.bulkheads.length, 'bulkhead')} · ${total('inUse').toLocaleString('en')} in use
          · ${total('waiting').toLocaleString('en')} waiting</span>
        ${this._liveness()}
      </div>`;
  }

  _liveness() {
    if (this._silence > 0) {
      return html`<span class="live"><span class="dot silent"></span>No update for ${span(this._silence)}</span>`;
    }
    return this._state.error
      ? html`<span class="live"><span class="dot away"></span>Redis is not available</span>`
      : html`<span class="live"><span class="dot"></span>Live</span>`;
  }

  _notes() {
    return this._state.incomplete ? html`
      <div class="banner" role="note">
        <vaadin-icon icon="font-awesome-solid:circle-info"></vaadin-icon>
        <div><strong>The list may be incomplete</strong><span class="about">${this._state.incomplete}</span></div>
      </div>` : '';
  }

  _overview() {
    if (this._tree.length === 0) {
      return html`
        <div class="empty">
          <vaadin-icon icon="font-awesome-solid:filter"></vaadin-icon>
          <strong>Nothing matches “${this._query}”</strong>
          <vaadin-button theme="tertiary small" @click="${() => { this._query = ''; }}">Clear the filter</vaadin-button>
        </div>`;
    }
    return html`
      <vaadin-grid class="overview" theme="compact no-border" item-id-path="id"
        style="height: ${this._height ?? HEAD + this._room * ROW}px" aria-label="Bulkheads" @active-item-changed="${event => this._select(event.detail.value)}">
        <vaadin-grid-sort-column path="title" header="Bulkhead" width="190px" flex-grow="3" resizable
          ${columnBodyRenderer(row => this._name(row), [])}></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="use" header="In use" width="150px" flex-grow="2" resizable
          ${columnBodyRenderer(row => row.kind === 'note' ? '' : useBar(row, row.lost > 0 || aboutToTimeOut(row, this._now) > 0), [])}></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="waiting" header="Waiting" width="105px" flex-grow="0" resizable
          ${columnBodyRenderer(row => row.kind === 'note' ? '' : this._waiting(row), [])}></vaadin-grid-sort-column>
        <vaadin-grid-column header="Last 5 minutes" width="125px" flex-grow="1"
          ${columnBodyRenderer(row => row.kind === 'note' ? '' : plot(row), [])}></vaadin-grid-column>
      </vaadin-grid>
      <div class="splitter" role="separator" aria-orientation="horizontal" aria-label="Height of the list" tabindex="0"
        title="Drag to change the height of the list" @pointerdown="${event => this._drag(event)}" @keydown="${event => this._resizeByKey(event)}"></div>`;
  }

  _drag(event) {
    const splitter = event.currentTarget;
    const from = event.clientY;
    const before = this._heightNow();
    const move = now => this._resizeTo(before + now.clientY - from);
    splitter.setPointerCapture(event.pointerId);
    splitter.addEventListener('pointermove', move);
    splitter.addEventListener('lostpointercapture', () => splitter.removeEventListener('pointermove', move), { once: true });
  }

  _resizeByKey(event) {
    const step = { ArrowUp: -ROW, ArrowDown: ROW }[event.key];
    if (step) {
      event.preventDefault();
      this._resizeTo(this._heightNow() + step);
    }
  }

  _heightNow() {
    return this.renderRoot.querySelector('vaadin-grid.overview').offsetHeight;
  }

  _resizeTo(height) {
    this._height = Math.round(Math.min(Math.max(LEAST, height), Math.max(LEAST, this.offsetHeight - 2 * LEAST)));
    localStorage.setItem(HEIGHT, this._height);
  }

  _waiting(row) {
    const late = aboutToTimeOut(row, this._now);
    if (late > 0) {
      return html`<span class="number alarming" title="${count(late, 'call is', 'calls are')} about to time out">${grouped(row.waiting)}</span>`;
    }
    return html`<span class="number ${row.waiting > 0 ? '' : 'about'}">${grouped(row.waiting)}</span>`;
  }

  _name(row) {
    if (row.kind === 'note') {
      return html`<div class="name note"><span class="cut" title="${row.title}">${row.title}</span></div>`;
    }
    if (row.kind === 'key') {
      return html`
        <div class="name key ${row.gone ? 'gone' : ''}"><vaadin-icon class="about" icon="font-awesome-solid:key" style="width: 0.8em; height: 0.8em; flex: none;"></vaadin-icon>
          <span class="title mono cut" title="${row.title}">${keyText(row.title)}</span>${this._badges(row)}</div>`;
    }
    return html`
      <div class="name ${row.gone ? 'gone' : ''}">
        ${row.children.length > 0 ? html`
          <button class="toggle" aria-expanded="${this._isOpen(row)}" aria-label="Keys of ${row.title}"
            @click="${event => this._toggle(event, row)}"><vaadin-icon icon="font-awesome-solid:chevron-right"></vaadin-icon></button>`
          : html`<span class="untoggled"></span>`}
        <span class="title cut" title="${row.title}">${row.title}</span>
        ${row.kind === 'keyed' ? html`<span class="badge">${row.keys === 0 ? 'no key in use' : count(row.keys, 'key')}</span>` : ''}
        ${row.fair ? html`<span class="badge primary">fair</span>` : ''}
        ${row.lock ? html`<span class="badge">lock</span>`
          : row.inCode ? html`<span class="badge" title="Defined in the code of this application, with a SemaphoreSpec">in code</span>`
          : row.definedHere ? '' : html`<span class="badge" title="Another application uses it; this one has not since its start">not defined here</span>`}
        ${row.enabled ? '' : html`<span class="badge warning" title="This application runs calls without permits">disabled</span>`}
        ${this._badges(row)}
      </div>`;
  }

  _badges(row) {
    return html`
      ${this._lost(row)}
      ${row.resized ? html`<span class="badge success" title="${this._override(row)}">resized</span>` : ''}
      ${row.limitsDiffer ? html`<span class="badge warning">limits differ</span>` : ''}`;
  }

  _lost(row) {
    return row.lost > 0 ? html`<span class="badge error"
      title="Permits that executions of this application lost within the last five minutes, except revoked ones">${row.lost} lost</span>` : '';
  }

  _isOpen(row) {
    if (row.children.length === 0) {
      return false;
    }
    return this._toggled.get(row.id) ?? (this._query !== '' || row.children.length <= KEYS_SHOWN_AT_FIRST);
  }

  /** The browser also sends events of a pointer that rests, when something moves below it. */
  _hold({ screenX, screenY }) {
    if (screenX !== this._pointer?.screenX || screenY !== this._pointer?.screenY) {
      this._pointer = { screenX, screenY };
      this._heldUntil = performance.now() + HELD_MILLIS;
    }
  }

  _toggle(event, row) {
    event.stopPropagation();
    this._toggled.set(row.id, !this._isOpen(row));
    this._heldUntil = 0;
    this.requestUpdate();
  }

  _select(row) {
    if (row && row.kind !== 'note' ) {
      this._selected = row.id;
    }
  }

  _details() {
    const row = this._detail;
    if (!row) {
      return this._selected && this._tree.length > 0 ? this._unusedKey() : '';
    }
    return html`
      <section class="details" aria-label="Details of ${row.bulkhead}">
        <header>
          <h2>${row.bulkhead}${row.key === undefined ? '' : html` <span class="about">/</span> <span class="mono">${keyText(row.key)}</span>`}</h2>
          <span class="about number">${this._sizes(row)}</span>
          <span class="spacer"></span>
          ${row.resizable ? html`
            <vaadin-button theme="small" ?disabled="${this._isAway()}" @click="${() => this._actions().resize(row)}">Resize …</vaadin-button>
            <vaadin-button theme="small" ?disabled="${!row.resized || this._isAway()}" @click="${() => this._actions().resetSize(row)}">Reset size</vaadin-button>` : ''}
        </header>
        ${row.resized ? html`<div class="banner" role="note"><vaadin-icon icon="font-awesome-solid:circle-info"></vaadin-icon>
          <span>${this._override(row)}</span></div>` : ''}
        ${row.limitsDiffer ? this._difference(row) : ''}
        <redis-bulkhead-occupants .row="${row}" .now="${this._now}" ?filtered="${this._query !== ''}" ?held="${this._held}" ?away="${this._isAway()}"
          @revoke="${event => this._actions().revoke(event.detail)}"></redis-bulkhead-occupants>
      </section>`;
  }

  _unusedKey() {
    const [name, key] = JSON.parse(this._selected);
    return html`
      <section class="details">
        <header><h2>${name} <span class="about">/</span> <span class="mono">${keyText(key)}</span></h2></header>
        <div class="empty"><vaadin-icon icon="font-awesome-solid:mug-hot"></vaadin-icon>
          <strong>This key is not in use now</strong><span>It appears again with the next call.</span></div>
      </section>`;
  }

  _sizes(row) {
    const sizes = row.kind === 'keyed'
      ? `${grouped(row.inUse)} in use${idle(row)} in ${count(row.keys, 'key')}${row.permits ? `, ${grouped(row.permits)} for each` : ''}`
      : `${grouped(row.inUse)} of ${grouped(row.limit) ?? '?'} in use${idle(row)}`;
    return [
      sizes,
      row.weightOfCall ? 'each call states its weight' : row.weightsDiffer ? `weights up to ${row.weight}` : row.weight > 1 ? `weight ${row.weight} per call` : '',
      row.expireMillis ? `lease ${duration(row.expireMillis)}` : '',
      row.maxWaitMillis ? `waits up to ${duration(row.maxWaitMillis)}` : '',
      row.maxWaiters !== undefined ? `at most ${grouped(row.maxWaiters)} waiting per instance` : '',
    ].filter(part => part !== '').join(' · ');
  }

  _override(row) {
    const defined = row.definedLimit === undefined ? '' : `, instead of the defined limit ${row.definedLimit}`;
    return `The limit ${row.limit} was set for all applications${defined}. It stays until you reset it; after 30 days, it also ends when the bulkhead is unused.`;
  }

  _difference(row) {
    return html`
      <div class="banner warning" role="note">
        <vaadin-icon icon="font-awesome-solid:code-compare"></vaadin-icon>
        <div>
          <strong>Instances use different limits: ${row.declaredLimits.join(', ')}</strong>
          <span class="about">Within the last minute, calls used different limits, and each applied its own. This is expected during a rollout.
            Otherwise, configure the same limit on all instances${row.resizable ? ', or set one for all with Resize.' : '.'}</span>
        </div>
      </div>`;
  }

  _actions() {
    return this.renderRoot.querySelector('redis-bulkhead-actions');
  }
}

customElements.define('qwc-redis-bulkhead-holders', QwcRedisBulkheadHolders);
