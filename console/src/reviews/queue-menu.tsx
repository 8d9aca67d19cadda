import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useColumnChoice } from '../api/choices';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { OpenedReviewQueueBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Dialog } from '../ui/dialog';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Options } from '../ui/options';
import { CopyButton, Failure, Refused, Waiting } from '../ui/parts';
import { AddItems } from './add-items';
import { ownColumns } from './rubric';

const QUEUE = '/api/public/v2/review-queues/{review_queue_id}';

/** Adds items to a queue, renames, closes, opens and deletes it, and makes a judge of it. */
export function QueueMenu({ queue, onAdded }: { queue: OpenedReviewQueueBody; onAdded: () => void }) {
  const [open, setOpen] = useState<'judge' | 'delete' | 'rename' | 'add' | null>(null);
  const refresh = useRefresh('review-queue', 'review-queues');
  const path = { review_queue_id: queue.id };
  const isOpen = queue.state === 'open';
  /** A judge of rows is a column in this table; otherwise it is a prompt to copy. */
  const judgedTable = queue.subject === 'row' ? queue.table_id : null;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api(`PATCH ${QUEUE}`, { path, body: { state: isOpen ? 'closed' : 'open' } }),
    onSuccess: () => refresh(),
  });
  return (
    <>
      {queue.subject !== 'trace' && (
        <GuardedButton
          permission={judgedTable === null ? null : 'TABLE_EDIT'}
          disabled={queue.counts.finished === 0}
          onClick={() => setOpen('judge')}
        >
          Make a judge
        </GuardedButton>
      )}
      <GuardedButton permission="TABLE_EDIT" disabled={!isOpen} onClick={() => setOpen('add')}>
        Add items
      </GuardedButton>
      <GuardedButton permission="TABLE_EDIT" onClick={() => setOpen('rename')}>
        Rename
      </GuardedButton>
      <GuardedButton permission="TABLE_EDIT" disabled={isPending} onClick={() => mutate()}>
        {isOpen ? 'Close the queue' : 'Open the queue'}
      </GuardedButton>
      <GuardedButton permission="TABLE_DELETE" onClick={() => setOpen('delete')}>
        Delete
      </GuardedButton>
      <Refused error={error} />
      {open === 'add' && <AddItems queue={queue} onAdded={onAdded} onClose={() => setOpen(null)} />}
      {open === 'rename' && <RenameQueue queue={queue} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteQueue queue={queue} onClose={() => setOpen(null)} />}
      {open === 'judge' &&
        (judgedTable === null ? (
          <JudgePrompt queue={queue} onClose={() => setOpen(null)} />
        ) : (
          <JudgeOfRows queue={queue} tableId={judgedTable} onClose={() => setOpen(null)} />
        ))}
    </>
  );
}

function RenameQueue({ queue, onClose }: { queue: OpenedReviewQueueBody; onClose: () => void }) {
  const refresh = useRefresh('review-queue', 'review-queues');
  const rename = async (values: FormValues) => {
    await api(`PATCH ${QUEUE}`, { path: { review_queue_id: queue.id }, body: { name: values.text('name') } });
    await refresh();
  };
  return (
    <FormDialog title={`Rename “${queue.name}”`} submit="Rename the queue" onSubmit={rename} onClose={onClose}>
      <Field label="Name" isRequired>
        <input className="field" name="name" data-first="" required maxLength={255} defaultValue={queue.name} />
      </Field>
    </FormDialog>
  );
}

function DeleteQueue({ queue, onClose }: { queue: OpenedReviewQueueBody; onClose: () => void }) {
  const refresh = useRefresh('review-queues');
  const [, navigate] = useLocation();
  const remove = async () => {
    await api(`DELETE ${QUEUE}`, { path: { review_queue_id: queue.id } });
    void refresh();
  };
  return (
    <FormDialog
      title={`Delete “${queue.name}” with all answers?`}
      submit="Delete the queue"
      isDangerous
      onSubmit={remove}
      onDone={() => navigate('/reviews')}
      onClose={onClose}
    >
      <p>Results in cells and scores stay. The answers and comments cannot be restored.</p>
    </FormDialog>
  );
}

const useFewShot = (queueId: string, columnId: string | null, question: string) =>
  useQuery({
    queryKey: ['few-shot', queueId, columnId, question],
    queryFn: ({ signal }) =>
      api(`GET ${QUEUE}/few-shot`, {
        path: { review_queue_id: queueId },
        query: { question, ...(columnId !== null && { column_id: columnId }) },
        signal,
      }),
    enabled: columnId !== '',
  });

/** Which question the judge answers, where there are several. */
function QuestionField(props: { queue: OpenedReviewQueueBody; value: string; onChange: (name: string) => void }) {
  const { queue, value, onChange } = props;
  if (queue.questions.length === 1) return null;
  return (
    <Field label="Question to judge">
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <Options pairs={queue.questions.map(({ name }) => [name, name])} />
      </select>
    </Field>
  );
}

/** A column of the sheet in which a model judges by the examples. */
function JudgeOfRows(props: { queue: OpenedReviewQueueBody; tableId: string; onClose: () => void }) {
  const { queue, tableId, onClose } = props;
  const [source, setSource] = useState('');
  const [title, setTitle] = useState<string | null>(null);
  const [question, ask] = useState(queue.questions[0]!.name);
  const [, navigate] = useLocation();
  const path = { table_id: tableId, sheet_id: queue.sheet_id! };
  const columns = useColumnChoice(tableId, queue.sheet_id!);
  const few = useFewShot(queue.id, source, question);
  const own = ownColumns(queue);
  const others = (columns.data ?? []).filter(({ id }) => !own.includes(id));
  const subject = queue.questions.length === 1 ? queue.name : question;
  const error = columns.error ?? few.error;
  const add = (values: FormValues) =>
    api('POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
      path,
      body: { title: values.text('title'), type: 'LLM_ASSERTION', config: { source, prompt: values.raw('prompt') } },
    });
  return (
    <FormDialog
      title="Make a judge from these answers"
      submit="Add the column"
      isWide
      onSubmit={add}
      onDone={() => navigate(`/tables/${tableId}/${queue.sheet_id}`)}
      onClose={onClose}
    >
      <JudgeNote />
      <Field label="Title" isRequired>
        <input
          className="field"
          name="title"
          data-first=""
          required
          maxLength={255}
          value={title ?? `${subject} judge`}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <QuestionField queue={queue} value={question} onChange={ask} />
      <Field label="Text to judge" isRequired>
        <select className="field" required value={source} onChange={(event) => setSource(event.target.value)}>
          <option value="">Choose a column</option>
          <Options pairs={others.map(({ id, title }) => [id, title])} />
        </select>
      </Field>
      {error && <Failure error={error} />}
      {few.data && <PromptField prompt={few.data.prompt} key={`${source} ${question}`} />}
    </FormDialog>
  );
}

function PromptField({ prompt }: { prompt: string }) {
  return (
    <Field label="Question with examples" hint="Answered with yes or no.">
      <textarea className="field" name="prompt" rows={14} required defaultValue={prompt} />
    </Field>
  );
}

function JudgeNote() {
  return (
    <p className="quiet-text">
      A model answers the question for every row, by examples that people have answered. Computing the column costs
      money. Rows that are examples are not proof that the judge is good: compare it on others.
    </p>
  );
}

/** The prompt to copy, for items that are in no sheet. */
function JudgePrompt({ queue, onClose }: { queue: OpenedReviewQueueBody; onClose: () => void }) {
  const [question, ask] = useState(queue.questions[0]!.name);
  const { data, error, isFetching, refetch } = useFewShot(queue.id, null, question);
  return (
    <Dialog label="Make a judge" className="form-dialog wide" onClose={onClose}>
      <h1>Make a judge from these answers</h1>
      <p className="quiet-text">
        A question with examples that people have answered. Add the requests to a sheet, then a column of the type “LLM
        judge” with this prompt.
      </p>
      <QuestionField queue={queue} value={question} onChange={ask} />
      <Waiting on={isFetching} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <pre className="box" tabIndex={0} aria-label="The prompt">
          {data.prompt}
        </pre>
      )}
      <div className="actions">
        {data && <CopyButton text={data.prompt} label="Copy the prompt" />}
        <button className="button" data-first="" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
