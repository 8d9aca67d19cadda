import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { api } from '../api/client';
import type { FeedPlanResponse } from '../api/schema.gen';
import { useSheet } from '../sheet/sheet-data';
import { Field } from '../ui/form';
import { Options } from '../ui/options';
import { Chips } from '../ui/list-screen';
import { ALL_ORIGINS, describeFilter, type FeedDraft, FIELDS, hasLimit, type Origin } from './feed-draft';

interface Props {
  draft: FeedDraft;
  change: (part: Partial<FeedDraft>) => void;
}

/** Which items the feed takes. */
export function TakenFields({ draft, change, onFilter, isNew }: Props & { onFilter: () => void; isNew: boolean }) {
  const { filters, q } = draft;
  const chips = filters.map((filter, at) => ({ text: describeFilter(filter), without: filters.toSpliced(at, 1) }));
  return (
    <fieldset>
      <legend>Which are judged</legend>
      <div className="actions">
        <button type="button" className="button" onClick={onFilter}>
          Add a filter
        </button>
        {filters.length === 0 && <span className="quiet-text">No filter: everything matches.</span>}
      </div>
      <Chips chips={chips} onRemove={(rest) => change({ filters: rest })} />
      <div className="columns">
        <Field label="Words">
          <input
            className="field"
            maxLength={10_000}
            placeholder="As in the search of the list"
            value={q}
            onChange={(event) => change({ q: event.target.value })}
          />
        </Field>
        <NumberField
          label="Sample in percent"
          hint="The same traces are chosen by every feed with this rate."
          max={100}
          step="any"
          isRequired
          value={draft.percent}
          onChange={(percent) => change({ percent })}
        />
      </div>
      <OriginTicks draft={draft} change={change} />
      {isNew && <BeginFields draft={draft} change={change} />}
    </fieldset>
  );
}

function OriginTicks({ draft, change }: Props) {
  const all = Object.keys(ALL_ORIGINS) as Origin[];
  const toggle = (origin: Origin) => {
    const origins = all.filter((each) => draft.origins.includes(each) !== (each === origin));
    // One of them has to be left.
    if (origins.length > 0) change({ origins });
  };
  return (
    <Ticks
      label="Made by"
      names={all}
      titles={ALL_ORIGINS}
      chosen={draft.origins}
      onToggle={(name) => toggle(name as Origin)}
    />
  );
}

const BEGINS: [string, string][] = [
  ['', 'From now on'],
  ['1', 'Also the last 24 hours'],
  ['7', 'Also the last 7 days'],
  ['30', 'Also the last 30 days'],
  ['at', 'Also since a moment'],
];

function BeginFields({ draft, change }: Props) {
  return (
    <div className="columns">
      <Field label="Begins" hint={draft.begins === '' ? undefined : 'Stored items are judged too, oldest first.'}>
        <select className="field" value={draft.begins} onChange={(event) => change({ begins: event.target.value })}>
          <Options pairs={BEGINS} />
        </select>
      </Field>
      {draft.begins === 'at' && (
        <Field label="Since" hint="In your local time." isRequired>
          <input
            className="field"
            type="datetime-local"
            required
            value={draft.since}
            onChange={(event) => change({ since: event.target.value })}
          />
        </Field>
      )}
    </div>
  );
}

/** The most that the feed may add and spend. */
export function LimitFields({ draft, change, plan }: Props & { plan: FeedPlanResponse | undefined }) {
  const isMissing = plan?.needs_limit === true && !hasLimit(draft);
  return (
    <fieldset>
      <legend>Limits</legend>
      <div className="three">
        <NumberField
          label="Rows per hour"
          value={draft.rowsPerHour}
          onChange={(rowsPerHour) => change({ rowsPerHour })}
        />
        <NumberField
          label="Rows per day (UTC)"
          value={draft.rowsPerDay}
          onChange={(rowsPerDay) => change({ rowsPerDay })}
        />
        <NumberField
          label="US dollars per day (UTC)"
          step="any"
          value={draft.costPerDay}
          onChange={(costPerDay) => change({ costPerDay })}
        />
      </div>
      {isMissing ? (
        <p className="needs" role="status">
          Columns of this sheet call models or services, so the feed needs a limit. Fill in one of these fields.
        </p>
      ) : (
        <p className="quiet-text">Items beyond a limit are counted and left out. An empty field is no limit.</p>
      )}
    </fieldset>
  );
}

/** Facts and variables that become columns. */
export function ColumnFields({ draft, change }: Props) {
  const { source, fields } = draft;
  // Names that the form does not offer, such as metadata.plan.
  const names = [...new Set([...FIELDS[source], ...fields])];
  const toggle = (name: string) => {
    const isOn = fields.includes(name);
    change({ fields: isOn ? fields.filter((each) => each !== name) : [...fields, name] });
  };
  return (
    <details>
      <summary>Columns</summary>
      <p className="quiet-text">Each row has the id, the input and the output, and these:</p>
      <Ticks
        label="Fields"
        names={names}
        titles={Object.fromEntries(names.map((name) => [name, name.replaceAll('_', ' ')]))}
        chosen={fields}
        onToggle={toggle}
      />
      {source === 'requests' && <VariablesField draft={draft} change={change} />}
    </details>
  );
}

function VariablesField({ draft, change }: Props) {
  const { data } = useQuery({
    queryKey: ['log-suggestions', 'input_variable_keys', ''],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/requests/suggestions', { query: { field: 'input_variable_keys' }, signal }),
  });
  const known = data?.values ?? [];
  return (
    <Field
      label="Input variables, separated by commas"
      hint={known.length > 0 ? `Known: ${known.slice(0, 10).join(', ')}` : undefined}
    >
      <input
        className="field"
        spellCheck={false}
        value={draft.variables}
        onChange={(event) => change({ variables: event.target.value })}
      />
    </Field>
  );
}

/** Columns whose values become scores of the judged items. */
export function PublishFields({ draft, change }: Props) {
  const { all, types } = useSheet();
  const { publishes } = draft;
  const isNamed = (id: string) => publishes.some(({ column_id: named }) => named === id);
  const offered = all.filter(({ id, type }) => types.get(type)?.computed || isNamed(id));
  const replace = (at: number, part: Partial<(typeof publishes)[number]>) =>
    change({ publishes: publishes.with(at, { ...publishes[at]!, ...part }) });
  return (
    <fieldset>
      <legend>Scores</legend>
      <p className="quiet-text">
        {offered.length === 0
          ? 'Add a column that computes a verdict or a number to the sheet, then publish it here as a score.'
          : 'A verdict is 100 or 0, and a number from 0 to 100 is itself. Other values are not published.'}
      </p>
      {publishes.map(({ column_id: column, name }, at) => (
        <div key={at} className="published">
          <select
            className="field"
            aria-label={`Column of score ${at + 1}`}
            required
            value={column}
            onChange={(event) => replace(at, { column_id: event.target.value })}
          >
            <Options pairs={[['', 'Choose a column'], ...offered.map(({ id, title }) => [id, title] as const)]} />
          </select>
          <input
            dir="auto"
            className="field"
            aria-label={`Name of score ${at + 1}`}
            placeholder="Name of the score"
            required
            maxLength={255}
            value={name}
            onChange={(event) => replace(at, { name: event.target.value })}
          />
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove score ${at + 1}`}
            onClick={() => change({ publishes: publishes.toSpliced(at, 1) })}
          >
            ×
          </button>
        </div>
      ))}
      {offered.length > 0 && (
        <div className="actions">
          <button
            type="button"
            className="button"
            onClick={() => change({ publishes: [...publishes, { column_id: '', name: '' }] })}
          >
            Publish a column as a score
          </button>
        </div>
      )}
    </fieldset>
  );
}

/** Settings that are seldom changed. */
export function MoreFields({ draft, change }: Props) {
  const isOfTraces = draft.source === 'traces';
  return (
    <details>
      <summary>Rows that stay, and traces that grow</summary>
      <div className="three">
        <NumberField
          label="Newest rows that stay"
          min={1}
          isRequired
          value={draft.keepRows}
          onChange={(keepRows) => change({ keepRows })}
        />
        <NumberField
          label="Days that rows stay"
          min={1}
          max={36_500}
          value={draft.keepDays}
          onChange={(keepDays) => change({ keepDays })}
        />
        {isOfTraces && (
          <NumberField
            label="Quiet seconds"
            hint="A trace that is not closed is judged when it has not grown for this time."
            min={1}
            max={3600}
            isRequired
            value={draft.quietSeconds}
            onChange={(quietSeconds) => change({ quietSeconds })}
          />
        )}
      </div>
      <p className="quiet-text">Older rows leave the sheet with their history. Scores and counts stay.</p>
      {isOfTraces && (
        <label className="tick">
          <input
            type="checkbox"
            checked={draft.recomputeGrown}
            onChange={(event) => change({ recomputeGrown: event.target.checked })}
          />
          Recalculate the row when its trace grows
        </label>
      )}
    </details>
  );
}

interface NumberProps {
  label: string;
  hint?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  min?: number;
  max?: number;
  step?: number | 'any';
  isRequired?: boolean;
}

function NumberField({ label, hint, value, onChange, min = 0, max, step = 1, isRequired = false }: NumberProps) {
  return (
    <Field label={label} hint={hint}>
      <input
        className="field"
        type="number"
        min={min}
        max={max}
        step={step}
        required={isRequired}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

interface TicksProps {
  label: string;
  names: readonly string[];
  titles: Record<string, string>;
  chosen: readonly string[];
  onToggle: (name: string) => void;
}

function Ticks({ label, names, titles, chosen, onToggle }: TicksProps) {
  const id = useId();
  return (
    <div className="form-field" role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      <div className="ticks">
        {names.map((name) => (
          <label key={name} className="tick">
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => onToggle(name)} />
            {titles[name]}
          </label>
        ))}
      </div>
    </div>
  );
}
