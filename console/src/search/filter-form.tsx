import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { Operations } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { FormDialog } from '../ui/form';
import { Options } from '../ui/options';
import { Failure, Waiting } from '../ui/parts';
import {
  type Condition,
  fromLocal,
  inOrder,
  nameOfField,
  nameOfOperator,
  shapeOfValue,
  takesMany,
  takesNone,
  type ValueShape,
} from './conditions';

/** A field as the server lists it. */
interface FieldBody {
  field: string;
  class: string;
  operators: string[];
  has_keys: boolean;
}

/** The fields by which a list can be filtered. */
export interface SearchFields {
  /** The title of the form. */
  title: string;
  queryKey: QueryKey;
  /** Reads the fields from the server. */
  read: (signal: AbortSignal) => Promise<{ fields: FieldBody[] }>;
  /** Names under which the server suggests values and keys of a field; null when it has no suggestions. */
  suggested: (field: string) => { values: SuggestedField | null; keys: SuggestedField | null };
}

/** Parameters of the suggestions of the API. */
export type SuggestedField = Operations['GET /api/public/v2/requests/suggestions']['query']['field'];

interface Props {
  of: SearchFields;
  onAdd: (condition: Condition) => void;
  onClose: () => void;
}

/** A form for a further condition, made of the fields of the list. */
export function FilterForm({ of, onAdd, onClose }: Props) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: of.queryKey,
    queryFn: ({ signal }) => of.read(signal),
    staleTime: Infinity,
  });
  if (data) return <Fields fields={data.fields} of={of} onAdd={onAdd} onClose={onClose} />;
  return (
    <Dialog label={of.title} className="form-dialog" onClose={onClose}>
      <Waiting on={isFetching} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
    </Dialog>
  );
}

function Fields({ fields, of, onAdd, onClose }: Props & { fields: FieldBody[] }) {
  const [field, setField] = useState(() => Object.values(inOrder(fields)).flat()[0]!);
  const [condition, setCondition] = useState({ operator: field.operators[0]!, key: '', value: '' });
  const change = (part: Partial<typeof condition>) => setCondition({ ...condition, ...part });
  const choose = (chosen: FieldBody) => {
    setField(chosen);
    setCondition({ operator: chosen.operators[0]!, key: '', value: '' });
  };
  const suggested = of.suggested(field.field);
  const add = async () => {
    const value = field.class === 'datetime' ? fromLocal(condition.value) : condition.value;
    onAdd({ ...condition, value, field: field.field });
  };
  return (
    <FormDialog title={of.title} submit="Filter" onSubmit={add} onDone={() => undefined} onClose={onClose}>
      <FieldChoice fields={fields} value={field.field} onChange={choose} />
      {field.has_keys && (
        <Suggested label="Key" field={suggested.keys} value={condition.key} onChange={(key) => change({ key })} />
      )}
      <select
        className="field"
        aria-label="Operator"
        value={condition.operator}
        onChange={(event) => change({ operator: event.target.value })}
      >
        <Options pairs={field.operators.map((operator) => [operator, nameOfOperator(operator)])} />
      </select>
      {!takesNone(condition.operator) && (
        <Suggested
          label={takesMany(condition.operator) ? 'Values, separated by commas' : 'Value'}
          field={suggested.values}
          metadataKey={condition.key}
          value={condition.value}
          onChange={(value) => change({ value })}
          shape={shapeOfValue(field.class, condition.operator)}
          isRequired
        />
      )}
    </FormDialog>
  );
}

function FieldChoice(props: { fields: FieldBody[]; value: string; onChange: (field: FieldBody) => void }) {
  const { fields, value, onChange } = props;
  const { often, others } = inOrder(fields);
  const options = (some: FieldBody[]) => <Options pairs={some.map(({ field }) => [field, nameOfField(field)])} />;
  return (
    <select
      className="field"
      aria-label="Field"
      data-first=""
      value={value}
      onChange={(event) => onChange(fields.find(({ field }) => field === event.target.value)!)}
    >
      <optgroup label="Often">{options(often)}</optgroup>
      <optgroup label="All others">{options(others)}</optgroup>
    </select>
  );
}

interface SuggestedProps {
  label: string;
  /** The field whose suggestions are read; null when there are none. */
  field: SuggestedField | null;
  metadataKey?: string;
  value: string;
  onChange: (value: string) => void;
  shape?: Partial<ValueShape>;
  isRequired?: boolean;
}

/** An input that suggests the most frequent values of the newest requests. Traces get the values of their calls. */
function Suggested({
  label,
  field,
  metadataKey = '',
  value,
  onChange,
  shape = {},
  isRequired = false,
}: SuggestedProps) {
  const isAsked = field !== null && (metadataKey !== '' || !String(field).endsWith('_values'));
  const { data } = useQuery({
    queryKey: ['log-suggestions', field, metadataKey],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/requests/suggestions', {
        query: { field: field!, ...(metadataKey !== '' && { metadata_key: metadataKey }) },
        signal,
      }),
    enabled: isAsked,
  });
  const id = `known-${label.split(',')[0]}`;
  return (
    <>
      <input
        dir="auto"
        className="field"
        aria-label={label}
        placeholder={shape.title ?? label}
        {...shape}
        list={id}
        maxLength={1000}
        required={isRequired}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {(isAsked ? (data?.values ?? []) : []).map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </>
  );
}
