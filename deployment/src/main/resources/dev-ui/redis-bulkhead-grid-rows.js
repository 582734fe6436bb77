/**
 * Feeds a grid. Each row keeps its object as long as it is there, and the grid learns of new, lost or moved rows only, so that
 * selection, focus and scroll position survive the update of each second.
 */
export class GridRows {

  _byId = new Map();
  _rows = [];
  _shown = [];

  /**
   * @param order sorts rows: takes them and the grid's sort orders, returns a new array
   */
  constructor(order = sorted) {
    this._order = order;
    this.provider = (params, callback) => {
      this._orders = params.sortOrders ?? [];
      this._shown = this._order(this._rows, this._orders);
      const from = params.page * params.pageSize;
      callback(this._shown.slice(from, from + params.pageSize), this._shown.length);
    };
  }

  /** The rows in the order in which they are shown. */
  get shown() {
    return this._shown;
  }

  /**
   * @param rows objects with an id
   * @param grid what shows them; may be missing
   */
  update(rows, grid) {
    const byId = new Map();
    this._rows = rows.map(row => {
      const known = this._byId.get(row.id);
      if (known) {
        Object.keys(known).filter(key => !(key in row)).forEach(key => delete known[key]);
      }
      const kept = known ? Object.assign(known, row) : row;
      byId.set(kept.id, kept);
      return kept;
    });
    this._byId = byId;
    if (!grid?.dataProvider) {
      return;
    }
    const next = this._order(this._rows, this._orders ?? []);
    const same = next.length === this._shown.length && next.every((row, i) => row === this._shown[i]);
    if (same) {
      grid.requestContentUpdate();
    } else {
      grid.clearCache();
    }
  }
}

/** Rows by what the grid's sorters say; their order stays where they are equal. */
export function sorted(rows, orders) {
  return orders.length === 0 ? [...rows] : [...rows].sort((a, b) => {
    for (const { path, direction } of orders) {
      const by = compare(a[path], b[path]);
      if (by !== 0) {
        return direction === 'desc' ? -by : by;
      }
    }
    return 0;
  });
}

function compare(a, b) {
  if (typeof a === 'string' && typeof b === 'string') {
    return a.localeCompare(b, 'en', { numeric: true });
  }
  return (a ?? -Infinity) < (b ?? -Infinity) ? -1 : (a ?? -Infinity) > (b ?? -Infinity) ? 1 : 0;
}
