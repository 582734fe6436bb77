import { html } from 'lit';
import { Notification } from '@vaadin/notification';
import '@vaadin/icon';

const SHOWN_FOR = 6000;

/** Says what became of an action. The Dev UI's own notifier takes markup; this has texts of users in it. */
export function notify({ done, message }) {
  Notification.show(html`
    <div style="display: flex; gap: 0.6em; align-items: center;">
      <vaadin-icon icon="font-awesome-solid:${done ? 'circle-check' : 'circle-exclamation'}"></vaadin-icon>
      <span>${message}</span>
    </div>`, { position: 'bottom-start', duration: SHOWN_FOR, theme: done ? 'success' : 'error' });
}
