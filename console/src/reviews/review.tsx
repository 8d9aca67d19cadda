import './reviews.css';
import { useEffect, useRef, useState } from 'react';
import type { OpenedReviewQueueBody, ReviewItemBody } from '../api/schema.gen';
import { GuardedButton, Needs, useMay } from '../shell/permissions';
import { count } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Back, Failure, Note, Refused, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useKept } from '../ui/unsaved';
import { AgreementSection } from './agreement';
import { ItemContext, WholeLink } from './context';
import { QueueMenu } from './queue-menu';
import { type Place, Questions } from './questions';
import { isComplete, missingIn, pick, wordsOfAnswers, wordsOfJudge } from './rubric';
import { useAnswers } from './use-answers';
import { type Left, useQueue, useReview } from './use-review';

/** One item after the other, with keys for everything. */
export default function Review({ id }: { id: string }) {
  const { data, error, refetch } = useQueue(id);
  useTitle(data?.review_queue.name ?? 'Review');
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on />;
  return <QueueScreen queue={data.review_queue} />;
}

function QueueScreen({ queue }: { queue: OpenedReviewQueueBody }) {
  const mayEdit = useMay('TABLE_EDIT');
  const review = useReview(queue.id, mayEdit && queue.state === 'open');
  const { item } = review;
  const skip = () => item && !review.isChosen && review.leave({ kind: 'skip', id: item.id });
  useKeys({ s: skip, u: review.undo });
  return (
    <>
      <header className="screen-head">
        <Back href="/reviews" title="All review queues" />
        <h1>{queue.name}</h1>
        <Progress queue={queue} />
        <span className="spacer" />
        <button className="button" disabled={!item || review.isChosen} onClick={skip}>
          Skip <kbd>s</kbd>
        </button>
        <button className="button" disabled={!review.canUndo} onClick={review.undo}>
          Undo <kbd>u</kbd>
        </button>
        <QueueMenu queue={queue} onAdded={() => item === null && review.goOn()} />
      </header>
      <Waiting on={review.isWaiting} />
      <div className="review">
        <section className="review-context" tabIndex={0} aria-label="The item under review">
          {review.error && <Failure error={review.error} onRetry={review.goOn} />}
          {item && (
            <h2>
              <WholeLink queue={queue} item={item} />
            </h2>
          )}
          {item && <ItemContext queue={queue} item={item} key={item.id} />}
          {!item && !review.error && <NoItem queue={queue} item={item} />}
        </section>
        <aside className="review-side" aria-label="Your answer" tabIndex={0}>
          <Needs permission="TABLE_EDIT" to="answer items" />
          {item && mayEdit && (
            <AnswerForm key={`${item.id} ${review.isDecision}`} queue={queue} item={item} review={review} />
          )}
          {review.last && <Revealed queue={queue} left={review.last} title="The item before" />}
          <AgreementSection queue={queue} />
        </aside>
      </div>
    </>
  );
}

function Progress({ queue }: { queue: OpenedReviewQueueBody }) {
  const { answered_by_you: answered, left_for_you: left, reviewers_per_item: reviewers } = queue;
  return (
    <>
      <span>{`${count(answered)} of ${count(answered + left)}`}</span>
      <progress aria-label="Your progress" max={Math.max(1, answered + left)} value={answered} />
      <span className="quiet-text">{reviewers === 1 ? 'one reviewer per item' : `${reviewers} reviewers, blind`}</span>
    </>
  );
}

function NoItem({ queue, item }: { queue: OpenedReviewQueueBody; item: ReviewItemBody | null | undefined }) {
  if (queue.state === 'closed') {
    return (
      <Note title="This queue is closed">
        <p>Its results are on the right. It can be opened again.</p>
      </Note>
    );
  }
  // Undefined while the next one loads.
  if (item === undefined) return null;
  return (
    <Note title="Nothing is left for you">
      <p>
        {queue.left_for_you > 0
          ? 'Others are answering the last items now. Come back when their five minutes are over.'
          : 'You have answered everything that you can.'}
      </p>
    </Note>
  );
}

interface AnswerProps {
  queue: OpenedReviewQueueBody;
  item: ReviewItemBody;
  review: ReturnType<typeof useReview>;
}

/** The questions. Those about which others disagree are decided, all others are answered. */
function AnswerForm({ queue, item, review }: AnswerProps) {
  const { isDecision } = review;
  const { questions, before, comment: commentBefore } = askedOf(queue, item, isDecision);
  const [place, setPlace] = useState<Place>({ at: 0 });
  const { answers, choose, forget } = useAnswers(`${item.id} ${isDecision}`, before);
  const [comment, type] = useComment(item.id, commentBefore);
  const isReady = isComplete(questions, answers);
  const save = () => {
    if (review.isSaving) return;
    if (!isReady) return setPlace({ at: Math.max(0, missingIn(questions, answers)) });
    const given = { id: item.id, answers };
    if (isDecision) return review.leave({ kind: 'decide', ...given }, { onSuccess: forget });
    const onSuccess = () => {
      forget();
      type('');
    };
    review.leave({ kind: 'answer', ...given, comment: comment.trim() || null }, { onSuccess });
  };
  useEffect(leaveButton, []);
  useKeys({ Enter: save, 'ctrl+enter': save });
  return (
    <section className="review-answer">
      <h2>{isDecision ? 'Decide' : queue.name}</h2>
      {isDecision && <Revealed queue={queue} left={{ item, problem: null }} title="The answers" />}
      {questions.length > 0 && (
        <Questions questions={questions} answers={answers} place={place} onMove={setPlace} onChoose={choose} />
      )}
      {!isDecision && <Comment value={comment} onChange={type} />}
      <Save isReady={isReady && !item.is_gone} review={review} onSave={save} />
    </section>
  );
}

/** The questions about an item, with earlier answers and decisions. */
function askedOf({ questions }: OpenedReviewQueueBody, item: ReviewItemBody, isDecision: boolean) {
  const { results, disagreements, answers } = item;
  if (isDecision) {
    const disputed = questions.filter(({ name }) => disagreements.includes(name));
    return { questions: disputed, before: pick(results, disagreements), comment: '' };
  }
  const own = answers?.find(({ is_yours: isYours }) => isYours);
  return { questions, before: own?.answers ?? {}, comment: own?.comment ?? '' };
}

/** The button, and why the server has refused what it has sent. */
function Save(props: { isReady: boolean; review: AnswerProps['review']; onSave: () => void }) {
  const { isReady, review, onSave } = props;
  return (
    <>
      <Refused error={review.refusal} />
      {review.refusal && (
        <button className="button" onClick={review.goOn}>
          Take the next item
        </button>
      )}
      <GuardedButton
        permission="TABLE_EDIT"
        className="button primary"
        disabled={!isReady || review.isSaving}
        onClick={onSave}
      >
        {review.isDecision ? 'Decide, next' : 'Save, next'} <kbd>↵</kbd>
      </GuardedButton>
    </>
  );
}

/** A comment that was typed is kept until it is saved; before that, the comment of an earlier answer is shown. */
function useComment(itemId: string, before: string): [comment: string, type: (text: string) => void] {
  const [typed, keep] = useKept(`review ${itemId}`);
  const [isTyped, setTyped] = useState(false);
  const type = (text: string) => {
    setTyped(true);
    keep(text);
  };
  return [isTyped || typed !== '' ? typed : before, type];
}

function Comment({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useKeys({ c: () => field.current?.focus(), Escape: () => field.current?.blur() });
  return (
    <label className="review-label">
      <span>
        Comment <kbd>c</kbd>
      </span>
      <textarea
        ref={field}
        className="field"
        rows={3}
        maxLength={10_000}
        placeholder="Optional. Ctrl Enter saves."
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** Enter saves the new item, and does not press the button again that led to it. */
function leaveButton(): void {
  if (!(document.activeElement instanceof HTMLButtonElement)) return;
  document.querySelector<HTMLElement>('.review-context')?.focus({ preventScroll: true });
}

interface RevealedProps {
  queue: OpenedReviewQueueBody;
  left: Left;
  title: string;
}

/** The answers of others and of the judges, once they can no longer influence the reviewer. */
function Revealed({ queue: { questions }, left: { item, problem }, title }: RevealedProps) {
  const { answers, judges, state, results, disagreements } = item;
  const isOnly = questions.length === 1;
  const result = wordsOfAnswers(questions, results);
  return (
    <section className="review-revealed" aria-label={title} aria-live="polite">
      <h2>{title}</h2>
      <ul className="lines">
        {answers?.map(({ reviewer_name: name, is_yours: isYours, answers: given, comment }) => (
          <li key={name ?? ''}>
            {`${isYours ? 'You' : (name ?? 'A key that is gone')}: ${wordsOfAnswers(questions, given)}`}
            {comment && <span className="quiet-text">{` ${comment}`}</span>}
          </li>
        ))}
        {Object.entries(judges).map(([name, value]) => (
          <li key={name} className="breaks">
            {`${isOnly ? 'Judge' : `Judge of ${name}`}: ${wordsOfJudge(value)}`}
          </li>
        ))}
        {result !== '' && <li>{`Result: ${result}`}</li>}
        {state === 'disagreement' && (
          <li>
            {isOnly
              ? 'The reviewers disagree. Somebody has to decide.'
              : `The reviewers disagree about ${disagreements.join(', ')}. Somebody has to decide.`}
          </li>
        )}
      </ul>
      {problem && <p className="bad">{`The result was not written into the sheet: ${problem}`}</p>}
    </section>
  );
}
