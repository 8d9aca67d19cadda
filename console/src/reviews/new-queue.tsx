import { useRef, useState } from 'react';
import { useColumnChoice } from '../api/choices';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { AddReviewItemsRequest, ColumnBody } from '../api/schema.gen';
import { type Place, PlaceFields } from '../to-sheet/place-fields';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';
import { type Asked, judgesIn, type Made, questionsOf, QuestionsFields, type Subject } from './question-fields';

/** Which items go into the new queue, such as “The 3 requests that are chosen”. */
export interface ItemOffer {
  text: string;
  items: AddReviewItemsRequest;
}

interface Props {
  /** Offers of a list, the most likely first. Without them the form has fields for the items. */
  listed?: { subject: 'request' | 'trace'; offers: ItemOffer[] };
  onCreated: (id: string) => void;
  onClose: () => void;
}

/** Asks for questions and items, and creates a queue of them. */
export function NewQueue({ listed, onCreated, onClose }: Props) {
  const [subject, setSubject] = useState<Subject>(listed?.subject ?? 'row');
  const [place, setPlace] = useState<Place>({ tableId: '', sheetId: '' });
  const [numbers, setNumbers] = useState([0]);
  const refresh = useRefresh('review-queues');
  // A column that was made before something else was refused is used by the next try.
  const made = useRef<Made>({});
  const columns = useColumnChoice(place.tableId, place.sheetId);
  const create = async (values: FormValues) => {
    const body = listed ? listed.offers[values.number('offer')!]!.items : itemsOf(values, subject, numbers[0]!);
    const id = await createQueue(values, { subject, place, numbers, made: made.current });
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
      isChanged={numbers.length > 1}
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
      {!listed && (
        <Field label="Items at most">
          <input className="field" name="limit" type="number" min={1} max={10_000} required defaultValue={100} />
        </Field>
      )}
      <QuestionsFields subject={subject} columns={columns.data} numbers={numbers} onChange={setNumbers} />
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
    <Field label="Items">
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

/** Items that may be added, by the number of the offer. */
export function Offers({ offers }: { offers: ItemOffer[] }) {
  return offers.map(({ text }, at) => (
    <label key={text} className="tick">
      <input type="radio" name="offer" value={at} defaultChecked={at === 0} />
      {text}
    </label>
  ));
}

interface RowFieldsProps {
  place: Place;
  onChange: (place: Place) => void;
  columns: ReturnType<typeof useColumnChoice>;
}

/** The sheet, and which of its rows. */
function RowFields({ place, onChange, columns }: RowFieldsProps) {
  return (
    <>
      <PlaceFields place={place} onChange={onChange} />
      {columns.data && <WhichRows columns={columns.data} />}
      {columns.error && <Failure error={columns.error} />}
    </>
  );
}

function WhichRows({ columns }: { columns: ColumnBody[] }) {
  return (
    <Field label="Rows" hint="Where judges disagree: the first judge below and this column give different scores.">
      <select className="field" name="other" defaultValue="">
        <Options
          pairs={[
            ['', 'All rows'],
            ...judgesIn(columns).map(([id, title]): [string, string] => [id, `Where the judge and ${title} disagree`]),
          ]}
        />
      </select>
    </Field>
  );
}

async function createQueue(values: FormValues, asked: Asked): Promise<string> {
  const { subject, place } = asked;
  const { review_queue: queue } = await api('POST /api/public/v2/review-queues', {
    body: {
      name: values.text('name'),
      subject,
      reviewers_per_item: values.number('reviewers'),
      sheet_id: subject === 'row' ? place.sheetId : null,
      ...(await questionsOf(values, asked)),
    },
  });
  return queue.id;
}

function itemsOf(values: FormValues, subject: Subject, first: number): AddReviewItemsRequest {
  const limit = values.number('limit');
  const everything = { filter_group: { filters: [] }, limit };
  if (subject !== 'row') return { ...everything, q: values.optional('q') };
  const [judge, other] = [values.optional(`judge ${first}`), values.optional('other')];
  if (!other) return everything;
  if (!judge || judge === other) throw new Error('Choose another column as the judge to compare with.');
  return { ...everything, disagreeing_column_ids: [judge, other] };
}
