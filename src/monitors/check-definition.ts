import { type Definition, FAMILIES, isOfScore } from './definition.js';
import { MonitorErrors } from './monitors.errors.js';
import { READERS } from './sources.js';

const HOUR = 60;

/** Each problem is a sentence for people; null when there is none. */
const PROBLEMS: ((definition: Definition) => string | null)[] = [
  ({ measure, percentile }) =>
    FAMILIES[measure] === 'percentile' && percentile === null
      ? `The measure ${measure} needs a percentile, such as 95.`
      : null,
  ({ measure, score }) =>
    isOfScore(measure) && score === null ? `The measure ${measure} needs the name of a score.` : null,
  ({ measure, source }) =>
    measure === 'first_token_percentile' && READERS[source].firstToken === null
      ? 'The time to the first token is a measure of requests: traces have none.'
      : null,
  ({ rule, measure, windowMinutes }) =>
    rule.kind === 'usual' && FAMILIES[measure] === 'volume' && windowMinutes < HOUR
      ? 'Sums are compared with earlier weeks in windows of an hour or more.'
      : null,
  ({ rule, measure, noData }) =>
    rule.kind === 'limit' && measure === 'count' && noData === 'open' && rule.op === 'below'
      ? 'A count of 0 is below the limit already: leave out no_data.'
      : null,
];

/** Throws monitor_invalid for fields that contradict each other, and the errors of the filter grammar. */
export function checkDefinition(definition: Definition): void {
  for (const problemOf of PROBLEMS) {
    const problem = problemOf(definition);
    if (problem !== null) throw MonitorErrors.monitor_invalid(problem);
  }
  READERS[definition.source].check(definition);
}
