import { LitElement, html, css } from 'lit';
import '@vaadin/button';
import '@vaadin/confirm-dialog';
import '@vaadin/integer-field';
import { notify } from './redis-bulkhead-notify.js';

const MOST_PERMITS = 2147483647;

/** Asks before something is changed, has the application change it, and tells what became of it. */
export class RedisBulkheadActions extends LitElement {

  static styles = css`
    p { margin: 0 0 0.6em; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: 0.2em 1em; margin: 0 0 0.8em; }
    dt { color: var(--lumo-secondary-text-color); }
    dd { margin: 0; overflow-wrap: anywhere; }
    vaadin-integer-field { width: 12em; padding-top: 0; margin-bottom: 0.8em; }
  `;

  static properties = {
    application: { attribute: false },
    _asked: { state: true },
    _permits: { state: true },
    _busy: { state: true },
  };

  /** @param holder whose permit to take away */
  revoke(holder) {
    this._ask({
      title: 'Revoke this permit?',
      confirm: 'Revoke',
      theme: 'primary error',
      what: [['Bulkhead', holder.bulkhead], ['Key', holder.key], ['Method', holder.method],
        ['Instance', `${holder.application} · ${holder.instance}`], ['Permit', holder.permitId]],
      text: 'The permit is free at once. The execution goes on, unless on-lost=interrupt is set there, and learns of its loss at '
        + 'once, or with its next renewal. Until then, more executions than the limit may run.',
      act: () => this.application.revoke({ bulkhead: holder.bulkhead, key: holder.key, permitId: holder.permitId }),
    });
  }

  /** @param limit whose size to set */
  resize(limit) {
    this._permits = String(limit.limit ?? '');
    this._ask({
      title: 'Resize this bulkhead?',
      confirm: 'Resize',
      theme: 'primary',
      number: true,
      what: [['Bulkhead', limit.bulkhead], ['Key', limit.key]],
      text: 'All instances of all applications obey at once. Executions above a smaller limit finish. It stays until it is reset.',
      act: () => this.application.resize({ bulkhead: limit.bulkhead, key: limit.key, permits: Number(this._permits) }),
    });
    // After the dialog has focused its button.
    this.updateComplete.then(() => setTimeout(() => this.renderRoot.querySelector('vaadin-integer-field')?.focus()));
  }

  /** @param limit whose size to reset */
  resetSize(limit) {
    this._ask({
      title: 'Reset the size?',
      confirm: 'Reset',
      theme: 'primary',
      what: [['Bulkhead', limit.bulkhead], ['Key', limit.key], ['Limit now', String(limit.limit)]],
      text: 'Every application goes by its own limit again.',
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
        @opened-changed="${event => !event.detail.value && this._close()}">
        ${asked ? html`
          <dl>${asked.what.filter(([, value]) => value !== undefined).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
          ${asked.number ? this._number() : ''}
          <p>${asked.text}</p>` : ''}
        <vaadin-button slot="confirm-button" theme="${asked?.theme ?? ''}" ?disabled="${!this._isValid() || this._busy}"
          @click="${() => this._confirm()}">${asked?.confirm ?? ''}</vaadin-button>
      </vaadin-confirm-dialog>`;
  }

  _number() {
    return html`
      <vaadin-integer-field label="Permits" min="1" max="${MOST_PERMITS}" step-buttons-visible required autoselect helper-text="At least 1"
        error-message="A whole number from 1 to ${MOST_PERMITS.toLocaleString('en')}" .value="${this._permits}"
        @input="${event => { this._permits = event.target.value; }}"
        @value-changed="${event => { this._permits = event.detail.value; }}"
        @keydown="${event => event.key === 'Enter' && this._isValid() && this._confirm()}"></vaadin-integer-field>`;
  }

  _isValid() {
    if (!this._asked?.number) {
      return true;
    }
    const permits = Number(this._permits);
    return this._permits !== '' && Number.isInteger(permits) && permits >= 1 && permits <= MOST_PERMITS;
  }

  async _confirm() {
    const { act } = this._asked;
    this._busy = true;
    try {
      notify((await act()).result);
    } catch (failure) {
      notify({ done: false, message: failure?.error?.message ?? 'The application gives no answer' });
    }
    this._close();
  }

  _close() {
    this._asked = undefined;
  }
}

customElements.define('redis-bulkhead-actions', RedisBulkheadActions);
