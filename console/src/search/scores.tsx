import { Link } from 'wouter';
import { rounded } from '../ui/format';
import { withScope } from '../shell/scope';
import { writeCondition } from './conditions';

/** A score of a request or a trace. */
interface NamedScore {
  name: string;
  score: number;
}

/** The list of requests or traces with the same score, from every origin. */
function withScore(list: '/logs' | '/traces', { name, score }: NamedScore): string {
  const field = list === '/logs' ? 'scores' : 'trace_scores';
  const f = writeCondition({ field, key: name, operator: 'key_equals', value: String(score) });
  return withScope(`${list}?${new URLSearchParams({ f }).toString()}`, { origin: 'all', env: '' });
}

interface Props {
  scores: readonly NamedScore[];
  list: '/logs' | '/traces';
  /** In a list, arrow keys move between lines, so Tab skips the links. */
  inList?: boolean;
}

/** Scores by name. Each is a link to the items with the same score. */
export function ScoreChips({ scores, list, inList = true }: Props) {
  return scores.map((each) => (
    <Link
      key={each.name}
      className="badge"
      href={withScore(list, each)}
      tabIndex={inList ? -1 : undefined}
      onClick={(event) => event.stopPropagation()}
    >
      {each.name} <strong>{rounded(each.score)}</strong>
    </Link>
  ));
}

/** Scores as one text, for a hint. */
export const scoresText = (scores: readonly NamedScore[]): string =>
  scores.map(({ name, score }) => `${name} ${rounded(score)}`).join(', ');
