import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { RequestFieldBody } from '../api/schema.gen';
import { Dialog } from '../ui/dialog';
import { FormDialog } from '../ui/form';
import { Options } from '../ui/options';
import { Failure, Waiting } from '../ui/parts';
import {
  type Condition,
  inOrder,
  nameOfField,
  nameOfOperator,
  shapeOfValue,
  takesMany,
  takesNone,
  type ValueShape,
} from './conditions';

interface Props {
  onAdd: (condition: Condition) => void;
  onClose: () => void;
}

/** A further condition, made of what the server says that requests can be searched by. */
export function FilterForm({ onAdd, onClose }: Props) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['log-fields'],
    queryFn: ({ signal }) => api('GET /api/public/v2/requests/search/fields', { signal }),
    staleTime: Infinity,
  });
  if (data) return <Fields fields={data.fields} onAdd={onAdd} onClose={onClose} />;
  return (
    <Dialog label={TITLE} className="form-dialog" onClose={onClose}>
      <Waiting on={isFetching} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
    </Dialog>
  );
}

const TITLE = 'Only requests whose …';

function Fields({ fields, onAdd, onClose }: Props & { fields: RequestFieldBody[] }) {
  const [field, setField] = useState(() => Object.values(inOrder(fields)).flat()[0]!);
  const [condition, setCondition] = useState({ operator: field.operators[0]!, key: '', value: '' });
  const change = (part: Partial<typeof condition>) => setCondition({ ...condition, ...part });
  const choose = (chosen: RequestFieldBody) => {
    setField(chosen);
    setCondition({ operator: chosen.operators[0]!, key: '', value: '' });
  };
  const add = async () => onAdd({ ...condition, field: field.field });
  return (
    <FormDialog title={TITLE} submit="Filter" onSubmit={add} onDone={() => undefined} onClose={onClose}>
      <FieldChoice fields={fields} value={field.field} onChange={choose} />
      {field.has_keys && (
        <Suggested label="Key" field={keysOf(field.field)} value={condition.key} onChange={(key) => change({ key })} />
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
          field={valuesOf(field)}
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

function FieldChoice(props: {
  fields: RequestFieldBody[];
  value: string;
  onChange: (field: RequestFieldBody) => void;
}) {
  const { fields, value, onChange } = props;
  const { often, others } = inOrder(fields);
  const options = (some: RequestFieldBody[]) => (
    <Options pairs={some.map(({ field }) => [field, nameOfField(field)])} />
  );
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

/** Fields of which the server suggests values, and those at whose keys it does. */
const SUGGESTED = ['engine', 'provider_type', 'status', 'tags', 'tool_names', 'output_keys', 'input_variable_keys'];
const KEYED: Record<string, string> = { metadata: 'metadata', output: 'output', input_variables: 'input_variable' };

type SuggestedField = 'engine';

const keysOf = (field: string) => (KEYED[field] ? (`${KEYED[field]}_keys` as SuggestedField) : null);

function valuesOf({ field }: RequestFieldBody): SuggestedField | null {
  if (KEYED[field]) return `${KEYED[field]}_values` as SuggestedField;
  return SUGGESTED.includes(field) || field === 'metadata_keys' ? (field as SuggestedField) : null;
}

interface SuggestedProps {
  label: string;
  /** What the server is asked for; null where it knows nothing. */
  field: SuggestedField | null;
  metadataKey?: string;
  value: string;
  onChange: (value: string) => void;
  shape?: Partial<ValueShape>;
  isRequired?: boolean;
}

/** A field with the most frequent values of the newest requests. */
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
