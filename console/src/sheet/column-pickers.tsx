import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { usePromptChoice, useWorkflowChoice } from '../api/choices';
import { api } from '../api/client';
import { ModelField } from '../models/model-field';
import { Field } from '../ui/form';
import type { Schema, Values } from '../ui/schema-fields';
import { type ControlledField, SchemaForm } from '../ui/schema-form';

const KNOWN_FOR_MS = 60_000;
/** Maximum length of a list of suggestions. */
const MOST = 100;

const partsOf = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {});
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Removes empty parts of an object; undefined when nothing is left. */
function filledParts(parts: Values): Values | undefined {
  const filled = Object.entries(parts).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

/** Picks a prompt of the registry, and one of its versions or release labels. */
export function PromptPicker({ label, hint, required, value, onChange }: ControlledField) {
  const id = useId();
  const template = partsOf(value);
  const { data } = usePromptChoice();
  const name = textOf(template.name);
  const labels = useLabels(name);
  const change = (part: Values) => onChange(filledParts({ ...template, ...part }));
  const version = textOf(template.version_number ?? template.label);
  const choose = (text: string) =>
    change(
      /^\d+$/.test(text)
        ? { version_number: Number(text), label: undefined }
        : { version_number: undefined, label: text },
    );
  return (
    <fieldset>
      <legend>
        {label}
        {required && <span className="quiet-text"> required</span>}
      </legend>
      {hint && <p className="quiet-text">{hint}</p>}
      <div className="columns">
        <Field label="Prompt">
          <input
            className="field"
            list={`${id}-prompts`}
            maxLength={512}
            spellCheck={false}
            required={required}
            value={name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label="Version or label">
          <input
            className="field"
            list={`${id}-labels`}
            placeholder="latest"
            maxLength={255}
            value={version}
            onChange={(event) => choose(event.target.value)}
          />
        </Field>
      </div>
      <Suggestions id={`${id}-prompts`} texts={(data ?? []).map((prompt) => prompt.prompt_name)} />
      <Suggestions id={`${id}-labels`} texts={labels} />
    </fieldset>
  );
}

function Suggestions({ id, texts }: { id: string; texts: string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  );
}

function useLabels(name: string): string[] {
  const { data } = useQuery({
    queryKey: ['prompt', name, 'labels'],
    queryFn: ({ signal }) => api('GET /prompt-templates/{identifier}/labels', { path: { identifier: name }, signal }),
    staleTime: KNOWN_FOR_MS,
    enabled: name !== '',
    retry: false,
  });
  return (data?.release_labels ?? []).map((each) => each.release_label);
}

/** Variables of the prompt in a config; undefined until they are known. */
export const usePromptVariables = (value: unknown): string[] | undefined => usePromptQuery(value).data;

/** The query of these variables. */
export function usePromptQuery(value: unknown) {
  const { name, version_number: version, label } = partsOf(value);
  const identifier = textOf(name);
  return useQuery({
    queryKey: ['prompt', identifier, 'variables', version, label],
    queryFn: ({ signal }) =>
      api('GET /prompt-templates/{identifier}', {
        path: { identifier },
        query: {
          ...(typeof version === 'number' && { version }),
          ...(typeof label === 'string' && label !== '' && { label }),
          resolve_snippets: true,
        },
        signal,
      }),
    staleTime: KNOWN_FOR_MS,
    select: (data) => [...new Set(data.prompt_template.input_variables ?? [])],
    enabled: identifier !== '',
    retry: false,
  });
}

/** A provider and a model with its parameters. */
export function ModelPicker({ label, hint, schema, value, onChange }: ControlledField) {
  const engine = partsOf(value);
  const change = (part: Values) => onChange(filledParts({ ...engine, ...part }));
  const { parameters } = schema.properties ?? {};
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint && <p className="quiet-text">{hint}</p>}
      <ModelField
        model={{ provider: textOf(engine.provider), name: textOf(engine.model) }}
        onChange={({ provider, name }) => change({ provider, model: name })}
      />
      {parameters && (
        <details className="more-fields">
          <summary>Parameters</summary>
          <SchemaForm schema={{ properties: { parameters } } satisfies Schema} values={engine} onChange={change} />
        </details>
      )}
    </fieldset>
  );
}

/** Ticks tools of the registry, and adds others by name. */
export function ToolsPicker({ label, hint, value, onChange }: ControlledField) {
  const { data } = useQuery({
    queryKey: ['tools', 'choice'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { query: { sort_by: 'name' }, signal }),
    staleTime: KNOWN_FOR_MS,
  });
  const known = (data?.tool_registries ?? []).slice(0, MOST).map(({ name }) => name);
  const chosen = Array.isArray(value) ? (value as string[]) : [];
  const others = chosen.filter((name) => !known.includes(name));
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  const write = (text: string) => {
    const names = text === '' ? [] : text.split(',').map((name) => name.trimStart());
    onChange([...chosen.filter((name) => known.includes(name)), ...names]);
  };
  // An unfinished list ends with a comma.
  const finish = () => others.includes('') && onChange(chosen.filter((name) => name !== ''));
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint && <p className="quiet-text">{hint}</p>}
      {known.map((name) => (
        <label key={name} className="tick">
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> <bdi>{name}</bdi>
        </label>
      ))}
      <Field label={known.length > 0 ? 'Other tools, separated by commas' : 'Tools, separated by commas'}>
        <input
          className="field"
          value={others.join(',')}
          onChange={(event) => write(event.target.value)}
          onBlur={finish}
        />
      </Field>
    </fieldset>
  );
}

/** A workflow by its id. */
export function WorkflowPicker({ label, hint, required, value, onChange }: ControlledField) {
  const { data } = useWorkflowChoice();
  return (
    <Field label={label} hint={hint} isRequired={required}>
      <select
        className="field"
        required={required}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value))}
      >
        <option value="">Choose…</option>
        {(data ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
