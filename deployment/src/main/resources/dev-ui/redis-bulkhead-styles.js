import { css } from 'lit';

/** What the pages have in common. Colours are those of the theme. */
export const styles = css`
  :host {
    --rb-warning: var(--lumo-warning-color, hsl(35, 90%, 50%));
    --rb-gap: var(--lumo-space-m);
    color: var(--lumo-body-text-color);
  }
  .toolbar { display: flex; align-items: center; gap: var(--rb-gap); flex-wrap: wrap; }
  .toolbar vaadin-text-field { flex: 1 1 18em; max-width: 34em; padding: 0; }
  .toolbar vaadin-text-field vaadin-icon { width: 1em; height: 1em; padding: 0; margin: 0 0.35em; }
  .spacer { flex: 1; }
  .about { color: var(--lumo-secondary-text-color); }
  .number { font-variant-numeric: tabular-nums; }
  .mono { font-family: var(--quarkus-font-mono, ui-monospace, "Cascadia Code", Menlo, Consolas, monospace); font-size: 0.92em; }
  .cut { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  /* What is cut off is the beginning: the end tells methods of one class, and permits of one instance, apart. */
  .tail { display: block; direction: rtl; text-align: left; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .toggle, .untoggled { display: inline-block; flex: none; width: 1.6em; height: 1.6em; }
  .toggle {
    display: inline-flex; align-items: center; justify-content: center; padding: 0; border: 0; background: none; cursor: pointer;
    color: var(--lumo-secondary-text-color); border-radius: var(--lumo-border-radius-s);
  }
  .toggle:hover { background: var(--lumo-contrast-10pct); }
  .toggle:focus-visible { outline: 2px solid var(--lumo-primary-color-50pct); }
  .toggle vaadin-icon { width: 0.8em; height: 0.8em; transition: transform 0.15s; }
  .toggle[aria-expanded="true"] vaadin-icon { transform: rotate(90deg); }
  .gone { opacity: 0.45; }
  .badge {
    display: inline-flex; align-items: center; padding: 0.1em 0.6em; border-radius: 1em; white-space: nowrap;
    font-size: var(--lumo-font-size-xs); font-weight: 500; line-height: 1.5;
    color: var(--lumo-secondary-text-color); background: var(--lumo-contrast-10pct);
  }
  .badge.primary { color: var(--lumo-primary-text-color); background: var(--lumo-primary-color-10pct); }
  .badge.success { color: var(--lumo-success-text-color); background: var(--lumo-success-color-10pct); }
  .badge.warning { color: var(--lumo-warning-text-color, var(--lumo-body-text-color)); background: color-mix(in srgb, var(--rb-warning) 18%, transparent); }
  .badge.error { color: var(--lumo-error-text-color); background: var(--lumo-error-color-10pct); }
  .banner {
    display: flex; gap: 0.75em; align-items: flex-start; padding: 0.6em 0.9em; border-radius: var(--lumo-border-radius-m);
    border-left: 3px solid var(--lumo-contrast-30pct); background: var(--lumo-contrast-5pct); font-size: var(--lumo-font-size-s);
  }
  .banner vaadin-icon { width: 1.1em; height: 1.1em; margin-top: 0.2em; flex: none; }
  .banner strong { display: block; font-weight: 600; }
  .banner.error { border-color: var(--lumo-error-color); background: var(--lumo-error-color-10pct); }
  .banner.error vaadin-icon { color: var(--lumo-error-text-color); }
  .banner.warning { border-color: var(--rb-warning); background: color-mix(in srgb, var(--rb-warning) 12%, transparent); }
  .banner.warning vaadin-icon { color: var(--rb-warning); }
  .empty {
    display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 0.4em; text-align: center;
    padding: 2em 1em; color: var(--lumo-secondary-text-color);
  }
  .empty vaadin-icon { width: 2em; height: 2em; color: var(--lumo-contrast-30pct); margin-bottom: 0.3em; }
  .empty strong { color: var(--lumo-body-text-color); font-weight: 600; }
  .empty code { padding: 0.1em 0.4em; border-radius: var(--lumo-border-radius-s); background: var(--lumo-contrast-5pct); }
  vaadin-grid { --vaadin-grid-cell-padding: 0.35em 0.75em; border-radius: var(--lumo-border-radius-m); }
  vaadin-grid::part(header-cell) { color: var(--lumo-secondary-text-color); font-weight: 500; }
`;
