import { html, css } from 'lit';
import { QwcHotReloadElement } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import { columnBodyRenderer } from '@vaadin/grid/lit.js';
import '@vaadin/grid';
import '@vaadin/grid/vaadin-grid-sort-column.js';
import '@vaadin/progress-bar';

/** Shows every bulkhead with its use and its current holders, live. */
export class QwcRedisBulkheadHolders extends QwcHotReloadElement {

  jsonRpc = new JsonRpc(this);

  static styles = css`
    :host { display: flex; flex-direction: column; gap: 1.5em; padding: 1em; height: 100%; overflow: auto; }
    h3 { margin: 0; font-size: var(--lumo-font-size-l); }
    .head { display: flex; align-items: baseline; gap: 1em; flex-wrap: wrap; }
    .about { color: var(--lumo-secondary-text-color); }
    .away { color: var(--lumo-error-text-color); }
    vaadin-progress-bar { margin: 0.4em 0; }
    code { font-size: 85%; }
  `;

  static properties = {
    _bulkheads: { state: true },
    _error: { state: true },
  };

  connectedCallback() {
    super.connectedCallback();
    this.hotReload();
  }

  disconnectedCallback() {
    this._stop();
    super.disconnectedCallback();
  }

  hotReload() {
    this._stop();
    this._stream = this.jsonRpc.watch().onNext(({ result }) => {
      this._error = result.error;
      if (result.bulkheads) {
        this._bulkheads = result.bulkheads;
      }
    });
  }

  _stop() {
    this._stream?.cancel();
    this._stream = undefined;
  }

  render() {
    return html`
      ${this._error ? html`<div class="away" role="alert">${this._error}</div>` : ''}
      ${this._body()}`;
  }

  _body() {
    if (!this._bulkheads) {
      return this._error ? '' : html`<span>Loading ...</span>`;
    }
    if (this._bulkheads.length === 0) {
      return html`<span class="about">No method of this application carries <code>@RedisBulkhead</code>.</span>`;
    }
    return this._bulkheads.map(bulkhead => this._bulkhead(bulkhead));
  }

  _bulkhead(bulkhead) {
    return bulkhead.keyed ? this._keyed(bulkhead) : this._oneLimit(bulkhead);
  }

  _keyed(bulkhead) {
    return html`
      <section>
        <div class="head">
          <h3>${bulkhead.name}</h3>
          <span>${bulkhead.limit} for each key</span>
          <span class="about">${bulkhead.fair ? 'fair, ' : ''}lease ${bulkhead.expire}</span>
        </div>
        <span class="about">Who holds permits of which key is not listed here.</span>
      </section>`;
  }

  _oneLimit(bulkhead) {
    return html`
      <section>
        <div class="head">
          <h3>${bulkhead.name}</h3>
          <span>${bulkhead.inUse} of ${bulkhead.limit} in use${bulkhead.waiting > 0 ? `, ${bulkhead.waiting} waiting` : ''}</span>
          <span class="about">${bulkhead.fair ? 'fair, ' : ''}lease ${bulkhead.expire}</span>
        </div>
        <vaadin-progress-bar value="${Math.min(1, bulkhead.inUse / bulkhead.limit)}"></vaadin-progress-bar>
        ${bulkhead.holders.length === 0 ? html`<span class="about">Nobody holds a permit.</span>` : this._holders(bulkhead.holders)}
      </section>`;
  }

  _holders(holders) {
    return html`
      <vaadin-grid .items="${holders}" theme="row-stripes" all-rows-visible>
        <vaadin-grid-sort-column path="application" header="Application" auto-width></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="instance" header="Instance" auto-width></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="method" header="Method" auto-width></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="since" header="Since" auto-width
          ${columnBodyRenderer(holder => this._time(holder.since), [])}></vaadin-grid-sort-column>
        <vaadin-grid-sort-column path="until" header="Lease ends" auto-width
          ${columnBodyRenderer(holder => this._time(holder.until), [])}></vaadin-grid-sort-column>
        <vaadin-grid-column path="ticket" header="Fencing token" auto-width></vaadin-grid-column>
        <vaadin-grid-column path="permitId" header="Permit" auto-width></vaadin-grid-column>
      </vaadin-grid>`;
  }

  _time(iso) {
    return html`<span title="${iso}">${new Date(iso).toLocaleTimeString()}</span>`;
  }
}

customElements.define('qwc-redis-bulkhead-holders', QwcRedisBulkheadHolders);
