import { setOwn, type JsonObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';

const INDEX = /^\d{1,9}$/;

/** Flattened attributes are eight levels deep at most. A hostile key of a thousand dots must not go deeper. */
const MAX_PATH = 12;

type Branch = Map<string, Branch | JsonValue>;

/**
 * Puts together what was flattened into `<prefix>.<n>.<path>` attributes: one object per n, in the order of n, whose
 * own numbered keys become lists. Gaps in the numbering close.
 */
export function readIndexed(attributes: SpanAttributes, prefix: string): JsonObject[] {
  const root: Branch = new Map();
  for (const [path, value] of attributes.below(`${prefix}.`)) {
    const keys = path.split('.', MAX_PATH);
    if (keys.length > 1 && INDEX.test(keys[0])) insert(root, keys, value);
  }
  return inOrder(root).map((entry) => toObject(entry as Branch));
}

function insert(root: Branch, keys: string[], value: JsonValue): void {
  let branch = root;
  for (const key of keys.slice(0, -1)) {
    const next = branch.get(key);
    const child: Branch = next instanceof Map ? next : new Map();
    branch.set(key, child);
    branch = child;
  }
  const last = keys[keys.length - 1];
  if (!(branch.get(last) instanceof Map)) branch.set(last, value);
}

function toValue(node: Branch | JsonValue): JsonValue {
  if (!(node instanceof Map)) return node;
  const numbered = [...node.keys()].every((key) => INDEX.test(key));
  return numbered ? inOrder(node).map(toValue) : toObject(node);
}

function toObject(branch: Branch): JsonObject {
  const object: JsonObject = {};
  for (const [key, node] of branch) setOwn(object, key, toValue(node));
  return object;
}

function inOrder(branch: Branch): (Branch | JsonValue)[] {
  return [...branch].sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => node);
}
