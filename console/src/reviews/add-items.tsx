import { useState } from 'react';
import { Link } from 'wouter';
import { useColumnChoice } from '../api/choices';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { AddReviewItemsRequest, AddReviewItemsResponse, OpenedReviewQueueBody } from '../api/schema.gen';
import { filterOf, isComplete, takesText, type Test, TESTS, writeConditions } from '../sheet/row-look';
import { Dialog } from '../ui/dialog';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { counted } from '../ui/format';
import { Options, pairsOf } from '../ui/options';
import { Failure } from '../ui/parts';
import { requestsIn, rowsIn, tracesIn } from './chosen-items';

type Way = 'filter' | 'chosen' | 'disagree';

interface Props {
  queue: OpenedReviewQueueBody;
  /** Items were added. */
  onAdded: () => void;
  onClose: () => void;
}

/** Adds items to an existing queue, by filters or by hand. */
export function AddItems({ queue, onAdded, onClose }: Props) {
  const [way, setWay] = useState<Way>('filter');
  const [added, setAdded] = useState<AddReviewItemsResponse | null>(null);
  const refresh = useRefresh('review-queue', 'review-queues');
  const { subject } = queue;
  const add = async (values: FormValues) => {
    const body = itemsOf(values, way, queue);
    const path = { review_queue_id: queue.id };
    const answer = await api('POST /api/public/v2/review-queues/{review_queue_id}/items', { path, body });
    void refresh();
    onAdded();
    return answer;
  };
  if (added) return <Added added={added} onClose={onClose} />;
  return (
    <FormDialog
      title={`Add items to “${queue.name}”`}
      submit="Add the items"
      onSubmit={add}
      onDone={setAdded}
      onClose={onClose}
    >
      <Field label="Which">
        <select className="field" data-first="" value={way} onChange={(event) => setWay(event.target.value as Way)}>
          <Options
            pairs={[
              ['filter', subject === 'row' ? 'Rows with something in common' : 'The newest with these words'],
              ['chosen', subject === 'row' ? 'Rows by their numbers' : 'By their ids'],
              ...(subject === 'row' ? ([['disagree', 'Rows where judges disagree']] as const) : []),
            ]}
          />
        </select>
      </Field>
      {way === 'chosen' ? <ChosenFields subject={subject} /> : <FoundFields queue={queue} way={way} />}
    </FormDialog>
  );
}

interface AddedProps {
  added: AddReviewItemsResponse;
  /** For a link to the queue from another screen. */
  queueId?: string;
  onClose: () => void;
}

/** Reports how many items were new. */
export function Added({ added, queueId, onClose }: AddedProps) {
  const { added_count: count, known_count: known } = added;
  return (
    <Dialog label="Items were added" className="form-dialog" onClose={onClose}>
      <h1>{count === 0 ? 'Nothing was added' : `${counted(count, 'item')} added`}</h1>
      <p>{known > 0 ? `The queue had ${counted(known, 'item')} of these already.` : 'The queue had none of these.'}</p>
      <div className="actions">
        <button className="button primary" data-first="" onClick={onClose}>
          Close
        </button>
        {queueId && (
          <Link className="button" href={`/reviews/${queueId}`}>
            Open the queue
          </Link>
        )}
      </div>
    </Dialog>
  );
}

const CHOSEN = {
  row: { label: 'Row numbers', hint: 'As the sheet shows them, such as 1-20, 35.' },
  request: { label: 'Ids of requests', hint: 'Separated by spaces, commas or lines.' },
  trace: { label: 'Ids of traces', hint: 'Separated by spaces, commas or lines.' },
};

function ChosenFields({ subject }: { subject: OpenedReviewQueueBody['subject'] }) {
  const { label, hint } = CHOSEN[subject];
  return (
    <>
      <Field label={label} hint={hint} isRequired>
        <textarea className="field mono" name="chosen" rows={3} required />
      </Field>
      {subject !== 'row' && (
        <p className="quiet-text">
          {`The list of ${subject}s adds what is ticked there, or what its filters find: choose Review these.`}
        </p>
      )}
    </>
  );
}

function FoundFields({ queue, way }: { queue: OpenedReviewQueueBody; way: Way }) {
  return (
    <>
      {queue.subject === 'row' ? (
        <RowFields queue={queue} way={way} />
      ) : (
        <Field label="Words" hint="Without words all count.">
          <input className="field" name="q" maxLength={1000} />
        </Field>
      )}
      <Field label="Items at most">
        <input className="field" name="limit" type="number" min={1} max={10_000} required defaultValue={100} />
      </Field>
    </>
  );
}

function RowFields({ queue, way }: { queue: OpenedReviewQueueBody; way: Way }) {
  const [test, setTest] = useState<Test>('contains');
  const [column, setColumn] = useState('');
  const columns = useColumnChoice(queue.table_id ?? '', queue.sheet_id ?? '');
  if (columns.error) return <Failure error={columns.error} />;
  const titled = (columns.data ?? []).map(({ id, title }) => [id, title] as const);
  if (way === 'disagree') {
    return ['First judge', 'Second judge'].map((label, at) => (
      <Field key={label} label={label} isRequired>
        <select
          className="field"
          name={`judge ${at}`}
          required
          defaultValue={at === 0 ? (queue.judge_column_id ?? '') : ''}
        >
          <Options pairs={[['', 'Choose'], ...titled]} />
        </select>
      </Field>
    ));
  }
  return (
    <>
      <Field label="Column">
        <select className="field" name="column" value={column} onChange={({ target }) => setColumn(target.value)}>
          <Options pairs={[['', 'Any: all rows'], ...titled]} />
        </select>
      </Field>
      {column !== '' && (
        <div className="columns">
          <Field label="Where its cell">
            <select
              className="field"
              name="test"
              value={test}
              onChange={(event) => setTest(event.target.value as Test)}
            >
              <Options pairs={pairsOf(TESTS)} />
            </select>
          </Field>
          {takesText(test) && (
            <Field label="Text">
              <input className="field" name="value" maxLength={1000} required />
            </Field>
          )}
          {test === 'between' && (
            <>
              <Field label="From">
                <input className="field" type="number" step="any" name="value" />
              </Field>
              <Field label="To">
                <input className="field" type="number" step="any" name="to" />
              </Field>
            </>
          )}
        </div>
      )}
    </>
  );
}

const everything = { filters: [] };

function itemsOf(values: FormValues, way: Way, { subject }: OpenedReviewQueueBody): AddReviewItemsRequest {
  if (way === 'chosen') return chosenIn(values.raw('chosen'), subject);
  const limit = values.number('limit');
  if (subject !== 'row') return { filter_group: everything, q: values.optional('q'), limit };
  if (way === 'disagree') {
    const judges = [values.text('judge 0'), values.text('judge 1')];
    if (judges[0] === judges[1]) throw new Error('Choose two different judges.');
    return { filter_group: everything, disagreeing_column_ids: judges, limit };
  }
  const column = values.text('column');
  if (column === '') return { filter_group: everything, limit };
  const condition = { column, test: values.text('test') as Test, value: values.raw('value'), to: values.raw('to') };
  if (!isComplete(condition)) throw new Error('Enter a number.');
  const filter = filterOf({ status: '', where: writeConditions([condition]) });
  return { filter_group: filter as AddReviewItemsRequest['filter_group'], limit };
}

function chosenIn(text: string, subject: OpenedReviewQueueBody['subject']): AddReviewItemsRequest {
  const items =
    subject === 'row'
      ? { row_indices: rowsIn(text) }
      : subject === 'request'
        ? { request_log_ids: requestsIn(text) }
        : { trace_ids: tracesIn(text) };
  if (Object.values(items)[0]?.length === 0) throw new Error('Choose at least one item.');
  return items;
}
