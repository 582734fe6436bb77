import { matches, millis } from './redis-bulkhead-format.js';
import { sorted } from './redis-bulkhead-grid-rows.js';

/** What is before the name of a lock. */
const LOCK = 'lock:';
/** The part of the maximum wait in which a waiter is about to time out. */
const LAST_PART = 1 / 4;

/**
 * Makes the rows of the overview from the state: one for each bulkhead, and one for each of its keys.
 *
 * @returns rows with children
 */
export function bulkheadRows(bulkheads, query) {
  return bulkheads.map(bulkhead => bulkheadRow(bulkhead, query)).filter(row => row.found);
}

function bulkheadRow(bulkhead, query) {
  const byName = matches(query, bulkhead.name);
  const limits = bulkhead.limits.map(limit => limitRow(bulkhead, limit, byName ? '' : query));
  const row = bulkhead.keyed ? sum(bulkhead, limits) : limits[0] ?? sum(bulkhead, []);
  const children = bulkhead.keyed ? limits.filter(limit => limit.found) : [];
  if (bulkhead.keyed && bulkhead.keysWithoutText && byName) {
    children.push(keysWithoutText(bulkhead));
  }
  return { ...row, found: byName || (bulkhead.keyed ? children.length > 0 : row.found), children };
}

function limitRow(bulkhead, limit, query) {
  const found = matches(query, limit.key);
  const inRow = { bulkhead: bulkhead.name, key: limit.key };
  const holders = people(limit.holders, inRow, found ? '' : query);
  const shared = common(bulkhead);
  const allWaiters = people(limit.waiters, inRow, '').map(waiter => ({ ...waiter, timesOut: timesOut(waiter, bulkhead, shared) }));
  const waiters = found ? allWaiters : allWaiters.filter(one => isFound(one, query));
  return {
    ...shared,
    id: JSON.stringify([bulkhead.name, limit.key ?? null]),
    kind: bulkhead.keyed ? 'key' : 'bulkhead',
    ...inRow,
    title: bulkhead.keyed ? limit.key : bulkhead.name,
    limit: limit.limit,
    inUse: limit.inUse,
    idle: limit.idle,
    idleAt: limit.idleAt,
    waiting: limit.waiting,
    use: limit.limit ? limit.inUse / limit.limit : 0,
    resized: limit.resized,
    definedLimit: definedLimit(bulkhead, limit),
    limitsDiffer: limit.limitsDiffer,
    declaredLimits: limit.declaredLimits,
    lost: limit.lost,
    timeouts: allWaiters.map(waiter => waiter.timesOut).filter(at => at !== undefined),
    history: limit.history,
    listedHolders: limit.holders.length,
    listedWeight: weight(limit.holders),
    listedWaiters: limit.waiters.length,
    // Renewals change the order of the leases, and a row must not move below the pointer.
    holders: sorted(holders, [{ path: 'since' }, { path: 'number' }]),
    waiters,
    resizable: actionable(bulkhead),
    found: found || holders.length > 0 || waiters.length > 0,
  };
}

function weight(holders) {
  return holders.reduce((sum, holder) => sum + holder.weight, 0);
}

function people(all, inRow, query) {
  return all
    .map(one => ({
      ...one, ...inRow, id: one.permitId, number: one.fencingToken ?? one.ticket, since: Date.parse(one.since), until: Date.parse(one.until),
    }))
    .filter(one => isFound(one, query));
}

function isFound(one, query) {
  return matches(query, one.permitId, one.application, one.instance, one.method, one.number);
}

/** When a call gives up; known for guarded methods of this application only: code chooses how long it waits. */
function timesOut(waiter, bulkhead, { maxWaitMillis }) {
  return maxWaitMillis && bulkhead.methods?.includes(waiter.method) ? waiter.since + maxWaitMillis : undefined;
}

/** How many calls have waited for most of the maximum wait. */
export function aboutToTimeOut(row, now) {
  return row.timeouts.filter(at => isShortly(at, row, now)).length;
}

/** Whether a call that gives up at a time is about to do so. */
export function isShortly(at, row, now) {
  return at - now < LAST_PART * row.maxWaitMillis;
}

/** What a limit is without having been resized; a resolver may state another one for a key. */
function definedLimit(bulkhead, limit) {
  if (bulkhead.keyed && limit.declaredLimits.length === 1 || !bulkhead.definition) {
    return limit.declaredLimits.length > 0 ? limit.declaredLimits.join(', ') : undefined;
  }
  return bulkhead.definition.permits;
}

/** The row above the keys. */
function sum(bulkhead, limits) {
  const total = value => limits.reduce((all, limit) => all + limit[value], 0);
  return {
    ...common(bulkhead),
    id: JSON.stringify([bulkhead.name]),
    kind: bulkhead.keyed ? 'keyed' : 'bulkhead',
    bulkhead: bulkhead.name,
    title: bulkhead.name,
    permits: bulkhead.definition?.permits,
    keys: limits.length,
    inUse: total('inUse'),
    idle: total('idle'),
    idleAt: summed(limits.map(limit => limit.idleAt)),
    waiting: total('waiting'),
    use: Math.max(0, ...limits.map(limit => limit.use)),
    resized: false,
    limitsDiffer: limits.some(limit => limit.limitsDiffer),
    declaredLimits: [...new Set(limits.flatMap(limit => limit.limitsDiffer ? limit.declaredLimits : []))].sort((a, b) => a - b),
    lost: total('lost'),
    timeouts: limits.flatMap(limit => limit.timeouts),
    history: added(limits.map(limit => limit.history)),
    listedHolders: total('listedHolders'),
    listedWeight: total('listedWeight'),
    listedWaiters: total('listedWaiters'),
    holders: limits.flatMap(limit => limit.holders),
    waiters: limits.flatMap(limit => limit.waiters),
    resizable: false,
  };
}

// A number, or 'of the call', or one of them for each method if they differ.
function weights(defined) {
  const all = typeof defined === 'object' ? Object.values(defined) : [defined ?? 1];
  const fixed = all.filter(weight => typeof weight === 'number');
  return { weight: Math.max(1, ...fixed), weightsDiffer: typeof defined === 'object', weightOfCall: fixed.length < all.length };
}

function common(bulkhead) {
  return {
    definedHere: bulkhead.declared || bulkhead.definedInCode,
    inCode: bulkhead.definedInCode,
    fair: bulkhead.definition?.fair,
    ...weights(bulkhead.definition?.weight),
    maxWaiters: bulkhead.definition?.maxWaiters,
    maxWaitMillis: millis(bulkhead.definition?.maxWait),
    enabled: bulkhead.definition?.enabled ?? true,
    lock: bulkhead.name.startsWith(LOCK),
    actionable: actionable(bulkhead),
    expireMillis: millis(bulkhead.definition?.expire),
  };
}

/** Locks are ended by their owners only. */
function actionable(bulkhead) {
  return !bulkhead.name.startsWith(LOCK);
}

function keysWithoutText(bulkhead) {
  return {
    id: JSON.stringify([bulkhead.name, null, 'without text']),
    kind: 'note',
    bulkhead: bulkhead.name,
    title: bulkhead.keysWithoutText === 1 ? 'One more key is in use, which is too long for Redis to keep its text'
      : `${bulkhead.keysWithoutText} more keys are in use, which are too long for Redis to keep their text`,
    found: true,
  };
}

/** Numbers by name, added up. */
function summed(maps) {
  const sums = {};
  maps.flatMap(map => Object.entries(map)).forEach(([name, value]) => { sums[name] = (sums[name] ?? 0) + value; });
  return sums;
}

/**
 * The holders as one row for each instance, whose children are its executions. Permits that no instance holds, and all of an
 * instance that does not answer, are rows of their own.
 */
export function instanceRows(row) {
  const instances = new Map();
  const instance = (name, application) => {
    if (!instances.has(name)) {
      instances.set(name, {
        id: `instance ${name}`, kind: 'instance', instance: name, application, idle: row.idleAt[name] ?? 0, weight: 0, children: [],
      });
    }
    return instances.get(name);
  };
  const alone = [];
  row.holders.forEach(holder => {
    if (holder.state !== 'held' || holder.instance === '' || holder.method === '') {
      alone.push({ ...holder, children: [] });
      return;
    }
    const parent = instance(holder.instance, holder.application);
    parent.weight += holder.weight;
    parent.since = Math.min(parent.since ?? Infinity, holder.since);
    parent.until = Math.min(parent.until ?? Infinity, holder.until);
    parent.children.push({ ...holder, inInstance: true, children: [] });
  });
  Object.keys(row.idleAt).forEach(name => instance(name, ''));
  return [...instances.values()].sort((a, b) => a.instance.localeCompare(b.instance, 'en', { numeric: true })).concat(alone);
}

/** Plots of keys as one. */
function added(histories) {
  const points = Math.max(0, ...histories.map(history => history.length));
  return Array.from({ length: points }, (_, i) => {
    const known = histories.map(history => history[i]).filter(value => value != null);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
  });
}
