import { html, css } from 'lit';
import { QwcHotReloadElement } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/icon';
import '@vaadin/progress-bar';
import '@vaadin/text-field';
import { count, matches } from './redis-bulkhead-format.js';
import { styles } from './redis-bulkhead-styles.js';

const SOURCES = {
  annotation: { text: 'annotation', badge: 'primary' },
  configuration: { text: 'configuration', badge: 'success' },
};

/** Shows how every bulkhead is defined, where each value comes from, and what it guards. */
export class QwcRedisBulkheadDeclared extends QwcHotReloadElement {

  static styles = [styles, css`
    :host { display: flex; flex-direction: column; gap: var(--rb-gap); padding: 0 1em 1em; height: 100%; box-sizing: border-box; overflow: auto; }
    article { border: 1px solid var(--lumo-contrast-10pct); border-radius: var(--lumo-border-radius-l); overflow: hidden; flex: none; }
    header { display: flex; align-items: center; gap: 0.6em; flex-wrap: wrap; padding: 0.7em 1em; background: var(--lumo-contrast-5pct); }
    h2 { margin: 0; font-size: var(--lumo-font-size-l); font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
    .content { display: grid; grid-template-columns: minmax(30em, 2fr) minmax(16em, 1fr); }
    @media (max-width: 1000px) { .content { grid-template-columns: 1fr; } }
    table { border-collapse: collapse; width: 100%; font-size: var(--lumo-font-size-s); }
    th { text-align: left; font-weight: 500; color: var(--lumo-secondary-text-color); }
    th, td { padding: 0.3em 0.75em; border-bottom: 1px solid var(--lumo-contrast-5pct); vertical-align: baseline; }
    tr:last-child td { border-bottom: 0; }
    th:first-child, td:first-child { padding-left: 1em; white-space: nowrap; }
    td.value { font-weight: 500; white-space: nowrap; }
    tr.default td { white-space: normal; line-height: 1.9; }
    .pair { white-space: nowrap; margin-left: 0.9em; }
    table { table-layout: fixed; }
    th:nth-child(1) { width: 8em; }
    th:nth-child(2) { width: 6em; }
    th:nth-child(3) { width: 8em; }
    td.where { overflow-wrap: anywhere; }
    .guards { padding: 0.6em 1em; border-left: 1px solid var(--lumo-contrast-10pct); font-size: var(--lumo-font-size-s); min-width: 0; }
    @media (max-width: 1000px) { .guards { border-left: 0; border-top: 1px solid var(--lumo-contrast-10pct); } }
    h3 { margin: 0 0 0.3em; font-size: var(--lumo-font-size-s); font-weight: 500; color: var(--lumo-secondary-text-color); }
    ul { list-style: none; margin: 0; padding: 0; max-height: 16em; overflow: auto; }
    li { padding: 0.12em 0; overflow-wrap: anywhere; }
    .loading { max-width: 20em; margin: 4em auto; }
  `];

  static properties = {
    _bulkheads: { state: true },
    _query: { state: true },
    _failure: { state: true },
  };

  constructor() {
    super();
    this.jsonRpc = new JsonRpc(this);
    this._query = '';
  }

  connectedCallback() {
    super.connectedCallback();
    this.hotReload();
  }

  async hotReload() {
    try {
      this._bulkheads = (await this.jsonRpc.definitions()).result.bulkheads;
      this._failure = undefined;
    } catch (failure) {
      this._failure = failure?.error?.message ?? 'The application does not respond';
    }
  }

  render() {
    if (this._failure) {
      return html`<div class="banner error" role="alert"><vaadin-icon icon="font-awesome-solid:circle-exclamation"></vaadin-icon>
        <div><strong>The definitions cannot be read</strong><span class="about">${this._failure}</span></div></div>`;
    }
    if (!this._bulkheads) {
      return html`<div class="loading" role="status"><vaadin-progress-bar indeterminate></vaadin-progress-bar></div>`;
    }
    if (this._bulkheads.length === 0) {
      return html`
        <div class="empty">
          <vaadin-icon icon="font-awesome-solid:file-signature"></vaadin-icon>
          <strong>This application declares no bulkheads</strong>
          <span>Add <code>@RedisBulkhead(name = "reports", permits = 5)</code> to a method. Bulkheads that code defines are not listed here.</span>
        </div>`;
    }
    const query = this._query.trim().toLowerCase();
    const shown = this._bulkheads.filter(bulkhead => matches(query, bulkhead.name, ...bulkhead.methods,
      ...bulkhead.values.flatMap(value => [value.member, value.where])));
    return html`
      <div class="toolbar">
        <vaadin-text-field clear-button-visible placeholder="Filter by bulkhead, method, property …" accessible-name="Filter"
          .value="${this._query}" @value-changed="${event => { this._query = event.detail.value; }}">
          <vaadin-icon slot="prefix" icon="font-awesome-solid:magnifying-glass"></vaadin-icon>
        </vaadin-text-field>
        <span class="spacer"></span>
        <span class="about number">${count(shown.length, 'bulkhead')}</span>
      </div>
      ${shown.length === 0 ? html`<div class="empty"><vaadin-icon icon="font-awesome-solid:filter"></vaadin-icon>
        <strong>Nothing matches “${this._query}”</strong></div>` : ''}
      ${shown.map(bulkhead => this._bulkhead(bulkhead))}`;
  }

  _bulkhead(bulkhead) {
    return html`
      <article aria-label="${bulkhead.name}">
        <header>
          <h2>${bulkhead.name}</h2>
          ${bulkhead.keyed ? html`<span class="badge primary" title="One limit for each key">keyed</span>` : ''}
          ${bulkhead.enabled ? '' : html`<span class="badge warning" title="Calls run without permits">disabled</span>`}
          <span class="spacer"></span>
          <span class="about">${count(bulkhead.methods.length, 'guarded method')}</span>
        </header>
        <div class="content">
          <table>
            <thead><tr><th>Setting</th><th>Value</th><th>Source</th><th>Location</th></tr></thead>
            <tbody>
              ${bulkhead.values.filter(value => value.source !== 'default').map(value => this._value(value))}
              ${this._defaults(bulkhead.values.filter(value => value.source === 'default'))}
            </tbody>
          </table>
          <div class="guards">
            <h3>Guards</h3>
            <ul class="mono">${bulkhead.methods.map(method => html`<li>${short(method)}</li>`)}</ul>
          </div>
        </div>
      </article>`;
  }

  _value(value) {
    const source = SOURCES[value.source];
    return html`
      <tr class="${value.source}">
        <td>${value.member}</td>
        <td class="value">${value.value}</td>
        <td><span class="badge ${source.badge}">${source.text}</span></td>
        <td class="where mono">${value.source === 'annotation' ? short(value.where) : value.where}</td>
      </tr>`;
  }

  _defaults(values) {
    return values.length === 0 ? '' : html`
      <tr class="default">
        <td colspan="4"><span class="badge">defaults</span>
          ${values.map(value => html`<span class="pair"><span class="about">${value.member}</span> ${value.value === '' ? 'none' : value.value}</span> `)}
        </td>
      </tr>`;
  }
}

/** A class or method without its package and outer classes, which are in the tooltip. */
function short(place) {
  return html`<span title="${place}">${place.replace(/^.*[.$](?=[^.$#]+(?:#|$))/, '')}</span>`;
}

customElements.define('qwc-redis-bulkhead-declared', QwcRedisBulkheadDeclared);
