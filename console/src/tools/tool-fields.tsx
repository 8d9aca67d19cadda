import { Field } from '../ui/form';
import { Options } from '../ui/options';
import type { ToolDraft } from './tool-draft';

interface Props {
  draft: ToolDraft;
  onChange: (draft: ToolDraft) => void;
  /** Default name of the function; undefined when one is required. */
  functionName?: string;
}

/** Fields of a version of a tool. */
export function ToolFields({ draft, onChange, functionName }: Props) {
  const set = (part: Partial<ToolDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <Field label="Name of the function" hint="Models call the tool by it." isRequired={functionName === undefined}>
        <input
          className="field mono"
          maxLength={255}
          required={functionName === undefined}
          placeholder={functionName}
          value={draft.functionName}
          onChange={(event) => set({ functionName: event.target.value })}
        />
      </Field>
      <Field label="Description for models">
        <textarea
          className="field grows"
          rows={2}
          value={draft.functionDescription}
          onChange={(event) => set({ functionDescription: event.target.value })}
        />
      </Field>
      <JsonArea
        label="Parameters, as a JSON Schema"
        placeholder='{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'
        value={draft.parameters}
        onChange={(parameters) => set({ parameters })}
      />
      <CodeFields draft={draft} onChange={onChange} />
      <JsonArea
        label="Result, as a JSON Schema"
        placeholder='{"type": "object"}'
        value={draft.result}
        onChange={(result) => set({ result })}
      />
    </>
  );
}

function CodeFields({ draft, onChange }: Props) {
  const { language, code } = draft;
  return (
    <>
      <Field label="Run by">
        <select
          className="field"
          value={language}
          onChange={(event) => onChange({ ...draft, language: event.target.value as ToolDraft['language'] })}
        >
          <Options
            pairs={[
              ['', 'Your application'],
              ['python', 'This server, in Python'],
              ['javascript', 'This server, in JavaScript'],
            ]}
          />
        </select>
      </Field>
      {language !== '' && (
        <Field
          label="Code"
          hint="The body of a function: it finds the arguments in args and ends with return."
          isRequired
        >
          <textarea
            className="field mono grows"
            rows={Math.min(16, code.split('\n').length + 3)}
            spellCheck={false}
            required
            value={code}
            onChange={(event) => onChange({ ...draft, code: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

interface AreaProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

function JsonArea({ label, placeholder, value, onChange }: AreaProps) {
  return (
    <Field label={label}>
      <textarea
        className="field mono grows"
        rows={Math.min(12, value.split('\n').length + 1)}
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
