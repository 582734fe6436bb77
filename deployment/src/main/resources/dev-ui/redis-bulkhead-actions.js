import { LitElement, html, css } from 'lit';
import '@vaadin/button';
import '@vaadin/confirm-dialog';
import '@vaadin/integer-field';
import { keyText } from './redis-bulkhead-format.js';
import { notify } from './redis-bulkhead-notify.js';

const MOST_PERMITS = 2147483647;
/** The dialog has opened and focused its confirm button. Vaadin also dispatches this event on the body. */
const OPENED = 'vaadin-overlay-open';

/** Asks for confirmation, has the application make the change, and shows the outcome. */
export class RedisBulkheadActions extends LitElement {

  static styles = css`
    p { margin: 0 0 0.6em; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: 0.2em 1em; margin: 0 0 0.8em; }
    dt { color: var(--lumo-secondary-text-color); }
    dd { margin: 0; overflow-wrap: anywhere; }
    .away { color: var(--lumo-error-text-color); }
    vaadin-integer-field { width: 12em; padding-top: 0; margin-bottom: 0.8em; }
  `;

  static properties = {
    application: { attribute: false },
    away: { type: Boolean },
    _asked: { state: true },
    _permits: { state: true },
    _busy: { state: true },
  };

  constructor() {
    super();
    this._opened = event => this._focusHarmless(event.detail.overlay);
  }

  connectedCallback() {
    super.connectedCallback();
    document.body.addEventListener(OPENED, this._opened);
  }

  disconnectedCallback() {
    document.body.removeEventListener(OPENED, this._opened);
    super.disconnectedCallback();
  }

  /** @param holder whose permit to take away */
  revoke(holder) {
    this._ask({
      title: 'Revoke this permit?',
      confirm: 'Revoke',
      dangerous: true,
      what: [['Bulkhead', holder.bulkhead], ['Key', shownKey(holder.key)], ['Method', holder.method],
        ['Instance', `${holder.application} · ${holder.instance}`], ['Permit', holder.permitId]],
      text: 'The permit is free immediately. Its process learns of the loss immediately, or with its next renewal. The execution continues, '
        + 'unless on-lost=interrupt is set there, so more executions than the limit may run for a while.',
      act: () => this.application.revoke({ bulkhead: holder.bulkhead, key: holder.key, permitId: holder.permitId }),
    });
  }

  /** @param limit whose size to set */
  resize(limit) {
    this._permits = String(limit.limit ?? '');
    this._ask({
      title: 'Resize this bulkhead?',
      confirm: 'Resize',
      number: this._permits,
      what: [['Bulkhead', limit.bulkhead], ['Key', shownKey(limit.key)], ['Defined limit', limit.definedLimit]],
      text: 'The limit takes effect immediately for all instances of all applications. Executions above a smaller limit finish. '
        + 'It stays until it is reset; after 30 days, it also ends when the bulkhead is unused.',
      act: () => this.application.resize({ bulkhead: limit.bulkhead, key: limit.key, permits: Number(this._permits) }),
    });
  }

  /** @param limit whose size to reset */
  resetSize(limit) {
    this._ask({
      title: 'Reset the size?',
      confirm: 'Reset',
      dangerous: true,
      what: [['Bulkhead', limit.bulkhead], ['Key', shownKey(limit.key)], ['Limit now', limit.limit], ['Defined limit', limit.definedLimit]],
      text: 'Each application applies its own limit again, immediately.',
      act: () => this.application.resetSize({ bulkhead: limit.bulkhead, key: limit.key }),
    });
  }

  _ask(question) {
    this._busy = false;
    this._asked = question;
  }

  render() {
    const asked = this._asked;
    return html`
      <vaadin-confirm-dialog .header="${asked?.title ?? ''}" cancel-button-visible .opened="${asked !== undefined}"
        cancel-theme="${asked?.dangerous ? 'primary' : 'tertiary'}" @opened-changed="${event => !event.detail.value && this._close()}">
        ${asked ? html`
          <dl>${asked.what.filter(([, value]) => value !== undefined).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
          ${asked.number === undefined ? '' : this._number()}
          <p>${asked.text}</p>
          ${this.away ? html`<p class="away" role="alert">Redis is not available.</p>` : ''}` : ''}
        <vaadin-button slot="confirm-button" theme="${asked?.dangerous ? 'error' : 'primary'}" ?disabled="${!this._isPossible()}"
          @click="${() => this._confirm()}">${asked?.confirm ?? ''}</vaadin-button>
      </vaadin-confirm-dialog>`;
  }

  _number() {
    return html`
      <vaadin-integer-field label="Permits" min="1" max="${MOST_PERMITS}" step-buttons-visible required autoselect helper-text="At least 1"
        manual-validation .invalid="${!this._isValid()}" error-message="A whole number from 1 to ${MOST_PERMITS.toLocaleString('en')}" .value="${this._permits}"
        @input="${event => { this._permits = event.target.value; }}"
        @value-changed="${event => { this._permits = event.detail.value; }}"
        @keydown="${event => event.key === 'Enter' && this._isPossible() && this._confirm()}"></vaadin-integer-field>`;
  }

  // Enter must not change anything by accident: the confirm button, which the dialog focuses, is never the default.
  _focusHarmless(overlay) {
    const dialog = this.renderRoot.querySelector('vaadin-confirm-dialog');
    if (overlay?.owner === dialog) {
      const number = dialog.querySelector('vaadin-integer-field');
      (number ?? dialog.querySelector('[slot="cancel-button"]')).focus();
      number?.inputElement.select();
    }
  }

  _isPossible() {
    return !this._busy && !this.away && (this._asked?.number === undefined || this._isChanged());
  }

  _isChanged() {
    return this._permits !== this._asked.number && this._isValid();
  }

  _isValid() {
    const permits = Number(this._permits);
    return this._permits !== '' && Number.isInteger(permits) && permits >= 1 && permits <= MOST_PERMITS;
  }

  async _confirm() {
    const { act } = this._asked;
    this._busy = true;
    try {
      notify((await act()).result);
    } catch (failure) {
      notify({ done: false, message: failure?.error?.message ?? 'The application does not respond' });
    }
    this._close();
  }

  _close() {
    this._asked = undefined;
  }
}

function shownKey(key) {
  return key === undefined ? undefined : keyText(key);
}

customElements.define('redis-bulkhead-actions', RedisBulkheadActions);
