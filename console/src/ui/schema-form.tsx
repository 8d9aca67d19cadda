import { type ComponentProps, type ReactNode, useState } from 'react';
import { parseExactly, readExactly } from './exact-json';
import { Field, type Tied } from './form';
import { Options } from './options';
import { bare, fieldsOf, kindOf, labelOf, type Schema, type Values } from './schema-fields';

export interface FormChoice {
  value: string;
  title: string;
}

/** Props of a control that a form brings in place of the default one. */
export interface ControlledField {
  name: string;
  label: string;
  hint: ReactNode;
  schema: Schema;
  required: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

interface FormProps {
  schema: Schema;
  values: Values;
  onChange: (values: Values) => void;
  /** Choices for the texts of some fields, lists or maps, by the key of the field. */
  choices?: Record<string, FormChoice[]>;
  /** Names that some maps have lines for, by the key of the field. */
  names?: Record<string, string[]>;
  /** Controls that replace the default ones, by the key of the field. */
  controls?: Record<string, (field: ControlledField) => ReactNode>;
}

/**
 * The fields of an object, made from its JSON Schema; advanced ones are folded. Neither a form nor a button is
 * included.
 */
export function SchemaForm({ schema, values, onChange, choices = {}, names = {}, controls = {} }: FormProps) {
  const { main, advanced } = fieldsOf(schema);
  const isRequired = (key: string) => schema.required?.includes(key) ?? false;
  // Required fields come first, in the order of the schema. Groups follow the fields that they may depend on.
  const isFirst = ([key, field]: [string, Schema]) =>
    isRequired(key) && !GROUPS.includes(kindOf(field, Object.hasOwn(choices, key)));
  const draw = (fields: [string, Schema][]) =>
    fields.map(([key, field]) => (
      <SchemaField
        key={key}
        name={key}
        schema={field}
        required={isRequired(key)}
        value={values[key]}
        choices={Object.hasOwn(choices, key) ? choices[key] : undefined}
        names={Object.hasOwn(names, key) ? names[key] : undefined}
        control={Object.hasOwn(controls, key) ? controls[key] : undefined}
        onChange={(value) => onChange({ ...values, [key]: value })}
      />
    ));
  const isOpen = advanced.some(([key]) => values[key] !== undefined);
  return (
    <div className="schema-form">
      {draw(main.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a))))}
      {advanced.length > 0 && (
        <details className="more-fields" open={isOpen || undefined}>
          <summary>{`More: ${advanced.map(([key]) => labelOf(key).toLowerCase()).join(', ')}`}</summary>
          <div className="schema-form">{draw(advanced)}</div>
        </details>
      )}
    </div>
  );
}

const GROUPS = ['group', 'choices', 'choice-map'];

interface FieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  choices: FormChoice[] | undefined;
  names?: string[];
  control?: (field: ControlledField) => ReactNode;
  onChange: (value: unknown) => void;
}

function SchemaField(props: FieldProps) {
  const { name, schema: given, value, choices, names, control, required, onChange } = props;
  const schema = bare(given);
  const kind = kindOf(given, choices !== undefined);
  const label = labelOf(name);
  const hint = schema.description && withCode(schema.description);
  if (control) return control({ name, label, hint, schema, required, value, onChange });
  if (kind === 'fixed') return null;
  if (kind === 'boolean') {
    return (
      <Field label={label} hint={hint} isInline>
        {(tied) => (
          <input
            {...tied}
            type="checkbox"
            checked={Boolean(value ?? schema.default)}
            onChange={(event) => onChange(event.target.checked)}
          />
        )}
      </Field>
    );
  }
  if (GROUPS.includes(kind)) {
    const Part = kind === 'choices' ? Choices : ChoiceMap;
    return (
      <fieldset>
        <legend>
          {label}
          {required && <span className="quiet-text"> required</span>}
        </legend>
        {hint && <p className="quiet-text">{hint}</p>}
        {kind === 'group' ? (
          <SchemaForm
            schema={required ? schema : { ...schema, required: [] }}
            values={(value ?? {}) as Values}
            onChange={onChange}
          />
        ) : (
          <Part label={label} value={value} choices={choices!} names={names} onChange={onChange} />
        )}
      </fieldset>
    );
  }
  return (
    <Field label={label} hint={hint} isRequired={required}>
      {(tied) => <Control {...props} schema={schema} kind={kind} tied={tied} />}
    </Field>
  );
}

/** Renders a description of the API, with code between backticks. */
function withCode(text: string): ReactNode {
  return text.split('`').map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part));
}

type ControlProps = FieldProps & { kind: string; tied: Tied };

function Control(props: ControlProps) {
  const { schema, kind, value, required, onChange, tied } = props;
  const [example] = schema.examples ?? [];
  const common = { ...tied, required, className: 'field' };
  const text = value === undefined || value === null ? '' : String(value as string);
  const typed = { ...common, value: text, placeholder: typeof example === 'string' ? example : undefined };
  switch (kind) {
    case 'choice':
    case 'options':
      return <Select {...props} text={text} />;
    case 'number': {
      const bounds = { min: schema.minimum, max: schema.maximum, step: 'any', placeholder: textOf(schema.default) };
      return <NumberInput {...typed} {...bounds} onChange={onChange} />;
    }
    case 'text':
      return <input {...typed} onChange={(event) => onChange(event.target.value)} />;
    case 'long-text':
      return (
        <textarea
          {...typed}
          className={props.name === 'code' ? 'field mono' : 'field'}
          rows={4}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    default:
      return <JsonText {...common} value={value} example={example} onChange={onChange} />;
  }
}

function Select({ schema, kind, text, choices = [], required, onChange, tied }: ControlProps & { text: string }) {
  const options = schema.enum ?? [];
  const named = options.map((each) => [String(each), String(each)] as const);
  const isNamed = kind !== 'choice';
  // A schema may offer numbers, and the control knows texts only.
  const valueOf = (chosen: string) => (isNamed ? options.find((each) => String(each) === chosen) : undefined) ?? chosen;
  const byDefault = schema.default === undefined ? '–' : `${textOf(schema.default)} (default)`;
  return (
    <select
      {...tied}
      className="field"
      required={required}
      value={text}
      onChange={(event) => onChange(valueOf(event.target.value))}
    >
      <option value="">{required ? 'Choose…' : byDefault}</option>
      <Options pairs={isNamed ? named : choices.map(({ value, title }) => [value, title])} />
    </select>
  );
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value as string));

type NumberProps = Omit<ComponentProps<'input'>, 'onChange'> & { onChange: (value: unknown) => void };

/** A field for a number. While the browser would change the number the form cannot be sent. */
function NumberInput({ value, onChange, ...common }: NumberProps) {
  const [refused, setRefused] = useState<string | null>(null);
  const take = (input: HTMLInputElement) => {
    try {
      onChange(input.value === '' ? undefined : readExactly(input.value));
      setRefused(null);
      input.setCustomValidity('');
    } catch (error) {
      setRefused(input.value);
      input.setCustomValidity((error as Error).message);
    }
  };
  return <input {...common} type="number" value={refused ?? value} onChange={(event) => take(event.target)} />;
}

interface JsonProps extends Tied {
  required: boolean;
  className: string;
  value: unknown;
  example: unknown;
  onChange: (value: unknown) => void;
}

/** A field for JSON. While it is invalid the form cannot be sent. */
function JsonText({ value, example, onChange, ...common }: JsonProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const take = (area: HTMLTextAreaElement) => {
    setText(area.value);
    try {
      onChange(area.value.trim() === '' ? undefined : parseExactly(area.value));
      area.setCustomValidity('');
    } catch (error) {
      area.setCustomValidity(error instanceof RangeError ? error.message : 'This is not JSON.');
    }
  };
  return (
    <textarea
      {...common}
      className="field mono"
      rows={3}
      spellCheck={false}
      placeholder={example === undefined ? 'JSON' : JSON.stringify(example)}
      value={text}
      onChange={(event) => take(event.target)}
    />
  );
}

interface PartProps {
  label: string;
  value: unknown;
  choices: FormChoice[];
  /** Names that have a line each. */
  names?: string[];
  onChange: (value: unknown) => void;
}

function Choices({ value, choices, onChange }: PartProps) {
  const chosen = new Set((value ?? []) as string[]);
  const toggle = (each: string) => {
    const next = new Set(chosen);
    if (!next.delete(each)) next.add(each);
    onChange(choices.flatMap((choice) => (next.has(choice.value) ? [choice.value] : [])));
  };
  return choices.map(({ value: each, title }) => (
    <label key={each} className="tick">
      <input type="checkbox" checked={chosen.has(each)} onChange={() => toggle(each)} /> {title}
    </label>
  ));
}

/** A name and a choice per line: lines of known names, or else the filled-in ones and an empty one. */
function ChoiceMap(props: PartProps) {
  const { label, names, value, choices, onChange } = props;
  const given = (value ?? {}) as Record<string, string>;
  if (!names) return <FreeMap {...props} />;
  if (names.length === 0) return <p className="quiet-text">There are no variables.</p>;
  return names.map((name) => (
    <div key={name} className="columns">
      <bdi className="ellipsis" title={name}>
        {name}
      </bdi>
      <select
        className="field"
        aria-label={`${label}: ${name}`}
        value={given[name] ?? ''}
        onChange={(event) => onChange({ ...given, [name]: event.target.value })}
      >
        <option value="">–</option>
        <Options pairs={choices.map((choice) => [choice.value, choice.title])} />
      </select>
    </div>
  ));
}

type Pair = [name: string, to: string];

const isWhole = ([name, to]: Pair): boolean => name !== '' && to !== '';
const mapOf = (pairs: Pair[]): Record<string, string> => Object.fromEntries(pairs.filter(isWhole));

/** The pairs that were typed, also unfinished ones. A map that was changed elsewhere replaces those that are finished. */
function linesOf(value: Record<string, string>, typed: Pair[]): Pair[] {
  if (JSON.stringify(mapOf(typed)) === JSON.stringify(value)) return typed;
  return [...Object.entries(value), ...typed.filter((pair) => !isWhole(pair))];
}

function FreeMap({ label, value, choices, onChange }: PartProps) {
  const [pairs, setPairs] = useState<Pair[]>([]);
  const lines: Pair[] = [...linesOf((value ?? {}) as Record<string, string>, pairs), ['', '']];
  const change = (at: number, pair: Pair) => {
    const next = lines
      .map((line, index) => (index === at ? pair : line))
      .filter(([name, to]) => name !== '' || to !== '');
    setPairs(next);
    onChange(mapOf(next));
  };
  return lines.map(([name, to], at) => (
    <div key={at} className="columns">
      <input
        dir="auto"
        className="field"
        aria-label={`${label}: name ${at + 1}`}
        placeholder="Name"
        value={name}
        onChange={(event) => change(at, [event.target.value, to])}
      />
      <select
        className="field"
        aria-label={`${label}: value ${at + 1}`}
        value={to}
        onChange={(event) => change(at, [name, event.target.value])}
      >
        <option value="">–</option>
        <Options pairs={choices.map((choice) => [choice.value, choice.title])} />
      </select>
    </div>
  ));
}
