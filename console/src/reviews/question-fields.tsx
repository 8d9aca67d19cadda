import './reviews.css';
import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnBody, CreateReviewQueueRequest, ReviewQuestion, ReviewRubric } from '../api/schema.gen';
import type { Place } from '../to-sheet/place-fields';
import { Field, type FormValues } from '../ui/form';
import { Options } from '../ui/options';

export type Subject = CreateReviewQueueRequest['subject'];

/** The most questions of a queue. */
const MOST_QUESTIONS = 8;
/** The value of the choice that makes a column for the results. */
const NEW_COLUMN = 'new';

interface FieldsProps {
  subject: Subject;
  /** Columns of the sheet, once it is chosen. */
  columns: ColumnBody[] | undefined;
}

interface QuestionsProps extends FieldsProps {
  /** Keys of the questions in their order. A number is never used again, so that each field keeps its text. */
  numbers: number[];
  onChange: (numbers: number[]) => void;
}

/** One question without a name, or several with names. */
export function QuestionsFields({ numbers, onChange, ...more }: QuestionsProps) {
  const add = () => onChange([...numbers, Math.max(...numbers) + 1]);
  const isOnly = numbers.length === 1;
  return (
    <>
      {numbers.map((number, at) => (
        <fieldset key={number} className={isOnly ? 'review-only' : undefined}>
          {!isOnly && <legend>{`Question ${at + 1}`}</legend>}
          {!isOnly && <NameFields number={number} isFirst={at === 0} />}
          <QuestionFields number={number} {...more} />
          {!isOnly && (
            <button
              type="button"
              className="button"
              onClick={() => onChange(numbers.filter((other) => other !== number))}
            >
              {`Remove question ${at + 1}`}
            </button>
          )}
        </fieldset>
      ))}
      {numbers.length < MOST_QUESTIONS && (
        <button type="button" className="button" onClick={add}>
          Add a question
        </button>
      )}
    </>
  );
}

function NameFields({ number, isFirst }: { number: number; isFirst: boolean }) {
  return (
    <>
      <Field label="Question" hint="Such as Tone. Results and agreement are shown under it." isRequired>
        <input className="field" name={`question ${number}`} required maxLength={100} />
      </Field>
      {!isFirst && (
        <label className="tick">
          <input type="checkbox" name={`required ${number}`} defaultChecked />
          An answer is required
        </label>
      )}
    </>
  );
}

function QuestionFields({ number, subject, columns }: FieldsProps & { number: number }) {
  return (
    <>
      <RubricFields number={number} />
      {subject === 'row' && columns && <ColumnFields number={number} columns={columns} />}
      {subject === 'request' && (
        <Field label="Write results into the score" hint="Empty: results stay in the queue. Categories are no score.">
          <input className="field" name={`score ${number}`} maxLength={255} />
        </Field>
      )}
    </>
  );
}

/** Columns with values that a judge can have given. */
export const judgesIn = (columns: ColumnBody[]): [id: string, title: string][] =>
  titled(columns.filter(({ type }) => type !== 'HUMAN' && type !== 'TEXT'));

const titled = (list: ColumnBody[]) => list.map(({ id, title }): [string, string] => [id, title]);

function ColumnFields({ number, columns }: { number: number; columns: ColumnBody[] }) {
  const people = titled(columns.filter(({ type }) => type === 'HUMAN'));
  return (
    <>
      <Field label="Write results into">
        <select className="field" name={`human ${number}`} defaultValue={NEW_COLUMN}>
          <Options pairs={[[NEW_COLUMN, 'A new column'], ...people, ['', 'No column']]} />
        </select>
      </Field>
      <Field label="Judge to compare with" hint="Reviewers see its value after their answer.">
        <select className="field" name={`judge ${number}`} defaultValue="">
          <Options pairs={[['', 'None'], ...judgesIn(columns)]} />
        </select>
      </Field>
    </>
  );
}

function RubricFields({ number }: { number: number }) {
  const [kind, setKind] = useState('thumbs');
  return (
    <>
      <Field label="Answers">
        <select
          className="field"
          name={`kind ${number}`}
          value={kind}
          onChange={(event) => setKind(event.target.value)}
        >
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
            <input className="field" name={`min ${number}`} type="number" required defaultValue={1} />
          </Field>
          <Field label="To">
            <input className="field" name={`max ${number}`} type="number" required defaultValue={5} />
          </Field>
        </div>
      )}
      {kind === 'categories' && (
        <Field label="Categories" hint="One on each line, two to nine.">
          <textarea className="field" name={`labels ${number}`} rows={4} required />
        </Field>
      )}
      <Field label="Instructions" hint="Shown to reviewers beside the answers.">
        <textarea className="field" name={`help ${number}`} rows={2} maxLength={1000} />
      </Field>
    </>
  );
}

function rubricOf(values: FormValues, number: number): ReviewRubric {
  const help = values.optional(`help ${number}`);
  const kind = values.text(`kind ${number}`);
  if (kind === 'scale') {
    return { kind, help, min: values.number(`min ${number}`)!, max: values.number(`max ${number}`)! };
  }
  if (kind === 'categories') {
    const lines = values.raw(`labels ${number}`).split('\n');
    return { kind, help, labels: lines.map((line) => line.trim()).filter((line) => line !== '') };
  }
  return { kind: 'thumbs', help };
}

/** Columns for results that were made, by their sheet, question and type. */
export type Made = Record<string, string>;

export interface Asked {
  subject: Subject;
  place: Place;
  numbers: number[];
  made: Made;
}

type AskedBody = Partial<CreateReviewQueueRequest>;

/** The body of a new queue with its questions. Creates missing columns for the results. */
export async function questionsOf(values: FormValues, asked: Asked): Promise<AskedBody> {
  const [first, ...others] = asked.numbers;
  if (others.length === 0) {
    const { name: _, required: __, ...single } = await questionOf(values, first!, asked);
    return single;
  }
  const names = asked.numbers.map((number) => values.text(`question ${number}`).toLowerCase());
  // No column is made for questions that would be refused.
  if (new Set(names).size < names.length) throw new Error('Two questions have the same name.');
  const questions: ReviewQuestion[] = [];
  for (const number of asked.numbers) questions.push(await questionOf(values, number, asked));
  return { questions };
}

async function questionOf(values: FormValues, number: number, asked: Asked): Promise<ReviewQuestion> {
  const { subject, numbers } = asked;
  const rubric = rubricOf(values, number);
  const isRow = subject === 'row';
  return {
    name: values.text(`question ${number}`),
    required: number === numbers[0] || values.all(`required ${number}`).length > 0,
    rubric,
    judge_column_id: isRow ? values.optional(`judge ${number}`) : null,
    human_column_id: isRow ? await humanColumn(values, number, rubric, asked) : null,
    score_name: subject === 'request' ? values.optional(`score ${number}`) : null,
  };
}

/** The column of the results, which is created if necessary. */
async function humanColumn(
  values: FormValues,
  number: number,
  { kind }: ReviewRubric,
  { place, made }: Asked,
): Promise<string | null> {
  const chosen = values.optional(`human ${number}`);
  if (chosen !== NEW_COLUMN) return chosen;
  const isText = kind === 'categories';
  const key = `${place.sheetId} ${number} ${isText}`;
  if (made[key]) return made[key];
  const config = { data_type: isText ? 'string' : 'number', ui_element: { type: isText ? 'text' : 'number' } };
  const title = values.text(`question ${number}`) || values.text('name');
  const { column } = await api('POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
    path: { table_id: place.tableId, sheet_id: place.sheetId },
    body: { title, type: 'HUMAN', config },
  });
  made[key] = column.id;
  return column.id;
}
