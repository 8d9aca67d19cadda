import { usePromptChoice } from '../api/choices';
import { ModelField } from '../models/model-field';
import { MessageField } from '../prompts/message-field';
import { Field } from '../ui/form';
import { Options } from '../ui/options';
import { Failure } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { type Runs, type SheetStep } from './wizard-state';

const RUNS: Record<Runs, string> = {
  model: 'A model with a message',
  prompt: 'A prompt of the registry',
  column: 'Nothing: the outputs exist',
};

/** The step that chooses how outputs are made. */
export function RunStep({ wizard, columns, variables }: SheetStep) {
  const { draft, change, set } = wizard;
  return (
    <section className="wizard-step" aria-label="Step to run">
      <h2>What runs on every row?</h2>
      <Choice
        label="Step to run"
        options={RUNS}
        value={draft.runs}
        onChange={(runs) => change({ runs: runs as Runs })}
      />
      {draft.runs === 'model' && <ModelPart {...{ wizard, columns, variables }} />}
      {draft.runs === 'prompt' && <PromptPart {...{ wizard, columns, variables }} />}
      {draft.runs === 'column' && (
        <ColumnChoice
          label="Column with the outputs"
          columns={columns}
          value={draft.output}
          onChange={(output) => change({ output })}
        />
      )}
      {variables.length > 0 && (
        <fieldset className="wizard-variables">
          <legend>Variables</legend>
          {variables.map((name) => (
            <ColumnChoice
              key={name}
              label={`Column for ${name}`}
              columns={columns}
              value={draft.mappings[name] ?? ''}
              onChange={(column) => change({ mappings: { ...draft.mappings, [name]: column } })}
            />
          ))}
        </fieldset>
      )}
      <div className="actions">
        <button className="button primary" onClick={() => set({ step: 'scorers' })}>
          Choose scorers
        </button>
      </div>
    </section>
  );
}

function ModelPart({ wizard: { draft, change }, columns }: SheetStep) {
  const { variant } = draft;
  const setVariant = (part: Partial<typeof variant>) => change({ variant: { ...variant, ...part } });
  const { messages, provider, model } = variant;
  return (
    <>
      <div className="form-field">
        <span>Model</span>
        <ModelField
          model={{ provider, name: model }}
          onChange={(chosen) => setVariant({ provider: chosen.provider, model: chosen.name })}
        />
      </div>
      {messages.map((message, at) => (
        // Messages have no names, and keep their order.
        <MessageField
          key={at}
          message={message}
          onChange={(changed) => setVariant({ messages: messages.with(at, { ...message, ...changed }) })}
          onRemove={messages.length > 1 ? () => setVariant({ messages: messages.toSpliced(at, 1) }) : null}
        />
      ))}
      <p className="quiet-text">
        {`Insert a column with braces, such as {input}. Columns: ${columns.map(({ title }) => title).join(', ')}.`}
      </p>
      <div className="actions">
        <button
          className="button"
          onClick={() => setVariant({ messages: [...messages, { role: 'user', text: '', isText: true, images: [] }] })}
        >
          Add a message
        </button>
      </div>
    </>
  );
}

function PromptPart({ wizard: { draft, change } }: SheetStep) {
  const { data, error, refetch } = usePromptChoice();
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  const { version } = draft.prompt;
  const names = data?.map(({ prompt_name: name }) => name) ?? [];
  const offered = draft.prompt.id === '' || names.includes(draft.prompt.id) ? names : [draft.prompt.id, ...names];
  const setPrompt = (part: Partial<typeof draft.prompt>) => change({ prompt: { ...draft.prompt, ...part } });
  return (
    <>
      <Field label="Prompt">
        <select
          className="field"
          value={draft.prompt.id}
          onChange={(event) => setPrompt({ id: event.target.value, version: null })}
        >
          <Options pairs={[['', 'Choose a prompt'], ...offered.map((name) => [name, name] as const)]} />
        </select>
      </Field>
      <Field
        label="Release label (optional)"
        hint={`Default: ${version === null ? 'the latest version' : `version ${version}, as now`}.`}
      >
        <input
          className="field"
          maxLength={255}
          value={draft.prompt.label}
          onChange={(event) => setPrompt({ label: event.target.value, version: null })}
        />
      </Field>
    </>
  );
}

export function ColumnChoice(props: {
  label: string;
  columns: { id: string; title: string }[];
  /** A title, or the id that a config has instead. */
  value: string;
  onChange: (title: string) => void;
}) {
  const { label, columns, onChange } = props;
  const value = columns.find(({ id }) => id === props.value)?.title ?? props.value;
  return (
    <Field label={label}>
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <Options pairs={[['', 'Choose a column'], ...columns.map(({ title }) => [title, title] as const)]} />
      </select>
    </Field>
  );
}
