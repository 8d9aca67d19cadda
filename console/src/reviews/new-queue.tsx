import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { AddReviewItemsRequest, ColumnBody, CreateReviewQueueRequest, ReviewRubric } from '../api/schema.gen';
import { type Place, PlaceFields } from '../to-sheet/place-fields';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';

/** Which items go into the new queue, such as “The 3 requests that are chosen”. */
export interface ItemOffer {
  text: string;
  items: AddReviewItemsRequest;
}

interface Props {
  /** For a list: what may be added, the most likely first. Without it the form asks. */
  listed?: { subject: 'request' | 'trace'; offers: ItemOffer[] };
  onCreated: (id: string) => void;
  onClose: () => void;
}

type Subject = CreateReviewQueueRequest['subject'];

/** Columns that fit into a choice. */
const MOST = 100;
/** The value of the choice that makes a column for the results. */
const NEW_COLUMN = 'new';

/** Asks for a rubric and items, and creates a queue of them. */
export function NewQueue({ listed, onCreated, onClose }: Props) {
  const [subject, setSubject] = useState<Subject>(listed?.subject ?? 'row');
  const [place, setPlace] = useState<Place>({ tableId: '', sheetId: '' });
  const refresh = useRefresh('review-queues');
  // A column that was made before something else was refused is used by the next try.
  const made = useRef<Made>({});
  const columns = useColumns(place);
  const create = async (values: FormValues) => {
    const body = listed ? listed.offers[values.number('offer')!]!.items : itemsOf(values, subject);
    const id = await createQueue(values, { subject, place, made: made.current });
    const path = { review_queue_id: id };
    await api('POST /api/public/v2/review-queues/{review_queue_id}/items', { path, body }).catch(
      async (error: unknown) => {
        // No queue is left behind; who may not delete keeps an empty one.
        await api('DELETE /api/public/v2/review-queues/{review_queue_id}', { path }).catch(() => undefined);
        throw error;
      },
    );
    void refresh();
    return id;
  };
  return (
    <FormDialog
      title="New review queue"
      submit="Create the queue"
      onSubmit={create}
      onDone={onCreated}
      onClose={onClose}
    >
      <Field label="Name" isRequired>
        <input className="field" name="name" data-first="" required maxLength={255} />
      </Field>
      {listed ? <Offers offers={listed.offers} /> : <SubjectField value={subject} onChange={setSubject} />}
      {subject === 'row' && <RowFields place={place} onChange={setPlace} columns={columns} />}
      {subject !== 'row' && !listed && (
        <Field label="With these words" hint="The newest ones. Without words all count.">
          <input className="field" name="q" maxLength={1000} />
        </Field>
      )}
      {subject === 'request' && (
        <Field label="Write results into the score" hint="Empty: results stay in the queue. Categories are no score.">
          <input className="field" name="score" maxLength={255} />
        </Field>
      )}
      {!listed && (
        <Field label="Most items">
          <input className="field" name="limit" type="number" min={1} max={10_000} required defaultValue={100} />
        </Field>
      )}
      <RubricFields />
      <SelectField
        label="Reviewers per item"
        name="reviewers"
        options={{ '1': 'One', '2': 'Two, who do not see each other’s answers', '3': 'Three, likewise' }}
      />
    </FormDialog>
  );
}

function SubjectField({ value, onChange }: { value: Subject; onChange: (subject: Subject) => void }) {
  return (
    <Field label="What is reviewed">
      <select className="field" value={value} onChange={(event) => onChange(event.target.value as Subject)}>
        <Options
          pairs={[
            ['row', 'Rows of a sheet'],
            ['request', 'Requests'],
            ['trace', 'Traces'],
          ]}
        />
      </select>
    </Field>
  );
}

/** What may be added, by the number of the offer. */
export function Offers({ offers }: { offers: ItemOffer[] }) {
  return offers.map(({ text }, at) => (
    <label key={text} className="tick">
      <input type="radio" name="offer" value={at} defaultChecked={at === 0} />
      {text}
    </label>
  ));
}

/** The columns of a sheet, for choices. */
export function useColumns({ tableId, sheetId }: Place) {
  return useQuery({
    queryKey: ['columns', 'choice', sheetId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
        path: { table_id: tableId, sheet_id: sheetId },
        query: { limit: MOST },
        signal,
      }),
    enabled: sheetId !== '',
  });
}

interface RowFieldsProps {
  place: Place;
  onChange: (place: Place) => void;
  columns: ReturnType<typeof useColumns>;
}

/** The sheet, its judge and the column of the results. */
function RowFields({ place, onChange, columns }: RowFieldsProps) {
  return (
    <>
      <PlaceFields place={place} onChange={onChange} />
      {columns.data && <ColumnFields columns={columns.data.data} />}
      {columns.error && <Failure error={columns.error} />}
    </>
  );
}

function ColumnFields({ columns }: { columns: ColumnBody[] }) {
  const titled = (list: ColumnBody[]) => list.map(({ id, title }): [string, string] => [id, title]);
  const people = columns.filter(({ type }) => type === 'HUMAN');
  const others = columns.filter(({ type }) => type !== 'HUMAN' && type !== 'TEXT');
  return (
    <>
      <Field label="Write results into">
        <select className="field" name="human" defaultValue={NEW_COLUMN}>
          <Options pairs={[[NEW_COLUMN, 'A new column'], ...titled(people), ['', 'No column']]} />
        </select>
      </Field>
      <Field label="Judge to compare with" hint="Reviewers see its value after their answer.">
        <select className="field" name="judge" defaultValue="">
          <Options pairs={[['', 'None'], ...titled(others)]} />
        </select>
      </Field>
      <Field label="Rows" hint="Where judges disagree: the judge above and this column give different scores.">
        <select className="field" name="other" defaultValue="">
          <Options
            pairs={[
              ['', 'All rows'],
              ...titled(others).map(([id, title]): [string, string] => [id, `Where the judge and ${title} disagree`]),
            ]}
          />
        </select>
      </Field>
    </>
  );
}

function RubricFields() {
  const [kind, setKind] = useState('thumbs');
  return (
    <>
      <Field label="Answers">
        <select className="field" name="kind" value={kind} onChange={(event) => setKind(event.target.value)}>
          <Options
            pairs={[
              ['thumbs', 'Good or bad'],
              ['scale', 'A scale'],
              ['categories', 'Categories'],
            ]}
          />
        </select>
      </Field>
      {kind === 'scale' && (
        <div className="review-scale">
          <Field label="From">
            <input className="field" name="min" type="number" required defaultValue={1} />
          </Field>
          <Field label="To">
            <input className="field" name="max" type="number" required defaultValue={5} />
          </Field>
        </div>
      )}
      {kind === 'categories' && (
        <Field label="Categories" hint="One on each line, two to nine.">
          <textarea className="field" name="labels" rows={4} required />
        </Field>
      )}
      <Field label="What to go by" hint="Shown to reviewers beside the answers.">
        <textarea className="field" name="help" rows={2} maxLength={1000} />
      </Field>
    </>
  );
}

function rubricOf(values: FormValues): ReviewRubric {
  const help = values.optional('help');
  const kind = values.text('kind');
  if (kind === 'scale') return { kind, help, min: values.number('min')!, max: values.number('max')! };
  if (kind === 'categories') {
    const lines = values.raw('labels').split('\n');
    return { kind, help, labels: lines.map((line) => line.trim()).filter((line) => line !== '') };
  }
  return { kind: 'thumbs', help };
}

/** Columns for results by their sheet and type. */
type Made = Record<string, string>;

interface Asked {
  subject: Subject;
  place: Place;
  made: Made;
}

async function createQueue(values: FormValues, { subject, place, made }: Asked): Promise<string> {
  const rubric = rubricOf(values);
  const isRow = subject === 'row';
  const { review_queue: queue } = await api('POST /api/public/v2/review-queues', {
    body: {
      name: values.text('name'),
      subject,
      rubric,
      reviewers_per_item: values.number('reviewers'),
      sheet_id: isRow ? place.sheetId : null,
      judge_column_id: isRow ? values.optional('judge') : null,
      human_column_id: isRow ? await humanColumn(values, rubric, { place, made }) : null,
      score_name: subject === 'request' ? values.optional('score') : null,
    },
  });
  return queue.id;
}

/** The column of the results, which is made if there is none. */
async function humanColumn(
  values: FormValues,
  { kind }: ReviewRubric,
  { place, made }: Omit<Asked, 'subject'>,
): Promise<string | null> {
  const chosen = values.optional('human');
  if (chosen !== NEW_COLUMN) return chosen;
  const isText = kind === 'categories';
  const key = `${place.sheetId} ${isText}`;
  if (made[key]) return made[key];
  const config = { data_type: isText ? 'string' : 'number', ui_element: { type: isText ? 'text' : 'number' } };
  const { column } = await api('POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
    path: { table_id: place.tableId, sheet_id: place.sheetId },
    body: { title: values.text('name'), type: 'HUMAN', config },
  });
  made[key] = column.id;
  return column.id;
}

function itemsOf(values: FormValues, subject: Subject): AddReviewItemsRequest {
  const limit = values.number('limit');
  const everything = { filter_group: { filters: [] }, limit };
  if (subject !== 'row') return { ...everything, q: values.optional('q') };
  const [judge, other] = [values.optional('judge'), values.optional('other')];
  if (!other) return everything;
  if (!judge || judge === other) throw new Error('Choose another column as the judge to compare with.');
  return { ...everything, disagreeing_column_ids: [judge, other] };
}
