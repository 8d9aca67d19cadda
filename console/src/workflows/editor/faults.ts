import { ApiError } from '../../api/client';
import type { Draft } from './draft';

/** Errors of the server by the name of their node. Other errors are under ''. */
export type Faults = Record<string, string[]>;

interface Refusal {
  /** Sentences that name nodes in quotes. */
  faults?: string[];
  /** Errors of a body that does not match the schema. */
  detail?: { loc: (string | number)[]; msg: string }[];
}

/** The errors of a refused draft; null for any other error. */
export function faultsOf(error: unknown, { nodes }: Draft): Faults | null {
  if (!(error instanceof ApiError)) return null;
  const { faults, detail } = error.body as Refusal;
  const names = nodes.map(({ name }) => name);
  const found = (faults ?? []).map((text) => [nodeOf(text, names), text] as const);
  const misfits = (detail ?? []).map(({ loc, msg }) => {
    const [, list, at, ...rest] = loc;
    const name = list === 'nodes' && typeof at === 'number' ? names[at] : undefined;
    return name === undefined
      ? (['', `${loc.slice(1).join('.')}: ${msg}`] as const)
      : ([name, [rest.join('.'), msg].filter(Boolean).join(': ')] as const);
  });
  const all = [...found, ...misfits];
  if (all.length === 0) return null;
  const byName: Faults = {};
  for (const [name, text] of all) (byName[name] ??= []).push(text);
  return byName;
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** Longer names are cut in errors. */
const SHOWN = 100;

/** The text in quotes. Nothing for one that is no JSON, such as a pattern with \d. */
function textIn(quoted: string): string[] {
  try {
    return [JSON.parse(quoted) as string];
  } catch {
    return [];
  }
}

/** The node that an error is about: the one at which an edge ends, or else the first one named. */
function nodeOf(text: string, names: string[]): string {
  const quoted = [...text.matchAll(QUOTED)].flatMap(([each]) => textIn(each));
  const known = quoted.flatMap(
    (each) => names.find((name) => name === each || (each.length >= SHOWN && name.startsWith(each))) ?? [],
  );
  const isOfEdge = /\bedges? from "/.test(text);
  return (isOfEdge ? known[1] : undefined) ?? known[0] ?? '';
}
