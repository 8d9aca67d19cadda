import { type Origin, ORIGINS } from '../../llm/records/origin.js';
import { type Asked, exactly } from '../../text-search/index.js';

const termOf = (origin: string): string => `#origin=${origin}`;

/** Most documents come from applications, so these have no term. */
export const originTerms = (origin: Origin): string[] => (origin === 'application' ? [] : [termOf(origin)]);

/** The index query for documents of some origins. */
export function askForOrigins(values: readonly string[]): Asked {
  if (!values.includes('application')) return exactly({ anyOf: values.map(termOf) });
  const others = ORIGINS.filter((origin) => !values.includes(origin));
  return exactly({ not: { anyOf: others.map(termOf) } });
}
