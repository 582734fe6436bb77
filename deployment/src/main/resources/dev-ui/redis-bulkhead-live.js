/** How long without news before the page says so. */
const SILENT_AFTER = 4000;
const CHECK_EVERY = 1000;
/** States come each second. */
const OVERDUE_AFTER = 1500;
/** The server ends each subscription after ten seconds, because it is not told when a browser is closed. */
const SUBSCRIBE_AGAIN_AFTER = 4;

/** The live state, for as long as a page wants it. */
export class LiveState {

  /**
   * @param jsonRpc asks the application
   * @param onState called with each state
   * @param onTick called each second in which there is no state
   */
  constructor(jsonRpc, onState, onTick) {
    this._jsonRpc = jsonRpc;
    this._onState = onState;
    this._onTick = onTick;
    this._visible = () => document.visibilityState === 'visible' && this.restart();
    this._hidden = () => this._cancel();
  }

  start() {
    this._heard = Date.now();
    this._ticks = 0;
    this._timer = setInterval(() => this._tick(), CHECK_EVERY);
    document.addEventListener('visibilitychange', this._visible);
    window.addEventListener('pagehide', this._hidden);
    this.restart();
  }

  stop() {
    clearInterval(this._timer);
    document.removeEventListener('visibilitychange', this._visible);
    window.removeEventListener('pagehide', this._hidden);
    this._cancel();
  }

  /** Subscribes again before it cancels the old subscription, so that there is no gap. */
  restart() {
    const before = this._observer;
    const observer = this._jsonRpc.watch().onNext(({ result }) => {
      // Of an old subscription that lingers.
      if (observer === this._observer) {
        this._heard = Date.now();
        this._ahead = Date.parse(result.now) - this._heard;
        this._onState(result);
      }
    });
    this._observer = observer;
    before?.cancel();
  }

  /** The time of the application. */
  now() {
    return Date.now() + (this._ahead ?? 0);
  }

  /** For how long there is no news, when that is too long; else 0. */
  silence() {
    const silence = Date.now() - this._heard;
    return silence > SILENT_AFTER ? silence : 0;
  }

  _tick() {
    this._ticks++;
    if (this._ticks % SUBSCRIBE_AGAIN_AFTER === 0) {
      this.restart();
    }
    // Each state updates the page, too.
    if (Date.now() - this._heard > OVERDUE_AFTER) {
      this._onTick();
    }
  }

  _cancel() {
    this._observer?.cancel();
    this._observer = undefined;
  }
}

/**
 * The Dev UI numbers the requests of each page from 0, and its server takes two subscriptions with the same number for one, so
 * that a second page would end the stream of the first. Numbers that begin anywhere do not meet.
 */
export function spreadRequestNumbers(JsonRpc) {
  if (JsonRpc.messageCounter < 1_000_000) {
    JsonRpc.messageCounter += 1_000_000 + Math.floor(Math.random() * 2_000_000_000);
  }
}
