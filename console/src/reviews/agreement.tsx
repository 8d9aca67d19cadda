import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { OpenedReviewQueueBody, QuestionAgreementBody, ReviewItemBody } from '../api/schema.gen';
import { count } from '../ui/format';
import { Failure } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { More } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { describeAgreement, wordsOfAnswers, wordsOfJudge } from './rubric';
import { REVIEW_STATE } from './use-review';

/**
 * Agreement of people with each other, and with every version of the judge; below it the items with different answers.
 */
export function AgreementSection({ queue }: { queue: OpenedReviewQueueBody }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['review-agreement', queue.id],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/review-queues/{review_queue_id}/agreement', {
        path: { review_queue_id: queue.id },
        signal,
      }),
  });
  const { items, begun, finished, disagreements } = queue.counts;
  return (
    <section className="review-agreement" aria-label="This queue so far">
      <h2>This queue so far</h2>
      <p className="quiet-text">
        {`${count(finished)} of ${count(items)} finished, ${count(begun)} begun, ${count(disagreements)} to decide`}
      </p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.questions.map((found) => (
        <Agreed key={found.name} found={found} isOnly={data.questions.length === 1} />
      ))}
      <Disagreements queue={queue} />
    </section>
  );
}

/** About one question. */
function Agreed({ found, isOnly }: { found: QuestionAgreementBody; isOnly: boolean }) {
  const { name, reviewers, judge_versions: versions } = found;
  if (reviewers.length === 0 && versions.length === 0) return null;
  return (
    <>
      {!isOnly && <h3>{name}</h3>}
      <ul className="lines" aria-label={isOnly ? undefined : `Agreement about ${name}`}>
        {reviewers.map(({ reviewer_names: names, revised_count: revised, ...agreed }) => (
          <li key={names.join(' ')}>
            {`${names.map((each) => each || 'a key that is gone').join(' and ')}: ${describeAgreement(agreed)}`}
            {revised > 0 && <span className="quiet-text">{` ${count(revised)} changed after seeing the other`}</span>}
          </li>
        ))}
        {versions.map(({ judge_version: version, unreadable_count: unreadable, ...agreed }) => (
          <li key={version}>
            {`Judge v${version} and people: ${describeAgreement(agreed)}`}
            {unreadable > 0 && <span className="quiet-text">{` ${count(unreadable)} not comparable`}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

type Shown = 'decide' | 'reviewers' | 'judge';

const TITLES: Record<Shown, string> = {
  decide: 'To decide',
  reviewers: 'Different answers',
  judge: 'The judge says something else',
};

function Disagreements({ queue }: { queue: OpenedReviewQueueBody }) {
  const [shown, show] = useState<Shown>('decide');
  const [, set] = useUrlState(REVIEW_STATE);
  const query = shown === 'decide' ? { state: 'disagreement' as const } : { differs: shown };
  const list = useCursorList(['review-disagreements', queue.id, shown], (cursor, signal) =>
    api('GET /api/public/v2/review-queues/{review_queue_id}/items', {
      path: { review_queue_id: queue.id },
      query: { ...query, cursor },
      signal,
    }),
  );
  const isDecidable = ({ state, decided_by: decided }: ReviewItemBody) => state === 'disagreement' || decided !== null;
  return (
    <>
      <h2>Disagreements</h2>
      <Choice label="Show" options={TITLES} value={shown} onChange={(value) => show(value as Shown)} />
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p className="quiet-text">None.</p>}
      <ul className="lines">
        {list.items.map((item) => (
          <li key={item.id} className="review-difference">
            <span className="breaks">{describe(queue, item)}</span>
            {isDecidable(item) && queue.state === 'open' && (
              <button className="button" onClick={() => set({ item: item.id, decide: '1' })}>
                {`Decide ${item.position}`}
              </button>
            )}
          </li>
        ))}
      </ul>
      <More list={list} />
    </>
  );
}

function describe({ questions }: OpenedReviewQueueBody, item: ReviewItemBody): string {
  const { position, answers, judges, results } = item;
  const isOnly = questions.length === 1;
  const said = Object.entries(judges).map(([name, value]) => `${isOnly ? '' : `${name}: `}${wordsOfJudge(value)}`);
  const result = wordsOfAnswers(questions, results);
  const parts = [
    ...(answers ?? []).map(
      ({ reviewer_name: name, answers: given }) =>
        `${name ?? 'a key that is gone'} ${wordsOfAnswers(questions, given)}`,
    ),
    said.length === 0 ? null : `judge ${said.join(', ')}`,
    result === '' ? null : `result ${result}`,
  ];
  return `Item ${position}: ${parts.filter((part) => part !== null).join(isOnly ? ', ' : '; ')}`;
}
