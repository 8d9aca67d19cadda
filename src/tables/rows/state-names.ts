import { FilterSemanticsError } from '../../platform/filters/errors.js';
import { nearestName } from '../../platform/http/unknown-keys.js';

interface KnownStates<S extends string> {
  /** The subject of the states, for error messages. */
  of: string;
  states: readonly S[];
  /** Aliases of the states. */
  others: Record<string, S>;
}

/** Finds a state by any of its names, in any letter case. Throws an error that suggests the nearest name. */
export function readState<S extends string>(name: string, { of, states, others }: KnownStates<S>): S {
  const lower = name.trim().toLowerCase();
  const state = states.find((each) => each === lower);
  if (state) return state;
  if (Object.hasOwn(others, lower)) return others[lower]!;
  const known = [...states, ...Object.keys(others)];
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`;
  throw new FilterSemanticsError(`There is no ${of} "${name.slice(0, 60)}".${hint} It can be ${known.join(', ')}.`);
}
