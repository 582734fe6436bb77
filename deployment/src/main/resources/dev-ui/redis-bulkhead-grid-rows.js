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
  constructor(order) {
    this._order = order;
    this.provider = (params, callback) => {
      const orders = params.sortOrders ?? [];
      // The user sorts.
      if (JSON.stringify(orders) !== JSON.stringify(this._orders ?? [])) {
        this._orders = orders;
        this._shown = this._order(this._rows, orders);
      }
      const from = params.page * params.pageSize;
      callback(this._shown.slice(from, from + params.pageSize), this._shown.length);
    };
  }

  /** The rows in the order in which they are shown. */
  get shown() {
    return this._shown;
  }

  /**
   * @param rows objects with an id, and maybe children
   * @param grid what shows them; may be missing
   * @param held whether rows stay where they are, because the pointer is about to click one: what is gone is marked, and what
   *   is new waits
   */
  update(rows, grid, held) {
    const byId = new Map();
    const keep = row => {
      const known = this._byId.get(row.id);
      if (known) {
        Object.keys(known).filter(key => !(key in row)).forEach(key => delete known[key]);
      }
      const kept = known ? Object.assign(known, row) : row;
      kept.children = kept.children?.map(keep);
      byId.set(kept.id, kept);
      return kept;
    };
    this._rows = rows.map(keep);
    const next = this._order(this._rows, this._orders ?? []);
    if (held) {
      this._shown.filter(row => !byId.has(row.id)).forEach(row => {
        row.gone = true;
        byId.set(row.id, row);
      });
    }
    this._byId = byId;
    const same = held || next.length === this._shown.length && next.every((row, i) => row === this._shown[i]);
    if (same) {
      grid?.requestContentUpdate();
    } else {
      this._shown = next;
      grid?.clearCache();
    }
  }

  /** The user has opened or closed a row. */
  reorder(grid) {
    this._shown = this._order(this._rows, this._orders ?? []);
    grid?.clearCache();
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

/**
 * The rows as a list: children below their parents.
 *
 * @param isOpen tells whether the children of a row are shown
 */
export function flattened(rows, orders, isOpen) {
  return sorted(rows, orders).flatMap(row => isOpen(row) ? [row, ...sorted(row.children, orders)] : [row]);
}
