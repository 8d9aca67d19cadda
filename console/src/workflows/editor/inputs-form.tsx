import { Options } from '../../ui/options';
import { type Draft, freeName, without } from './draft';
import { NameField } from './name-field';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

interface Props {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onRename: (from: string, to: string) => void;
}

/** Input variables of a workflow. */
export function InputsForm({ draft, onChange, onRename }: Props) {
  const { required_input_variables: inputs } = draft;
  const names = [...Object.keys(inputs), ...draft.nodes.map(({ name }) => name)];
  const set = (changed: Record<string, string>) => onChange({ ...draft, required_input_variables: changed });
  return (
    <section aria-label="Inputs" className="workflow-form">
      <h2>Inputs</h2>
      <p className="quiet-text">Every run is started with them. Nodes read them by their names.</p>
      {Object.entries(inputs).map(([name, type], at) => (
        <div key={at} className="workflow-input">
          <NameField
            label={`Name of input ${at + 1}`}
            value={name}
            isTaken={(wanted) => names.includes(wanted)}
            onRename={(to) => onRename(name, to)}
          />
          <select
            className="field"
            aria-label={`Type of ${name}`}
            value={type}
            onChange={(event) => set({ ...inputs, [name]: event.target.value })}
          >
            <Options pairs={[...new Set([...TYPES, type])].map((each) => [each, each])} />
          </select>
          <button
            type="button"
            className="button"
            aria-label={`Remove ${name}`}
            onClick={() => onChange(without(draft, name))}
          >
            Remove
          </button>
        </div>
      ))}
      <div className="actions">
        <button
          type="button"
          className="button"
          onClick={() => set({ ...inputs, [freeName(draft, 'input')]: 'string' })}
        >
          Add an input
        </button>
      </div>
    </section>
  );
}
