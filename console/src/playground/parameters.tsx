import { type Variant, withFormat } from './variant';

interface Props {
  variant: Variant;
  onChange: (variant: Variant) => void;
}

/** Parameters of the model. Rarely changed ones are folded. */
export function Parameters({ variant, onChange }: Props) {
  return (
    <div className="parameters">
      <label>
        <span>Temperature</span>
        <input
          className="field"
          type="number"
          step="any"
          value={variant.temperature}
          onChange={(event) => onChange({ ...variant, temperature: event.target.value })}
        />
      </label>
      <label>
        <span>Max tokens</span>
        <input
          className="field"
          type="number"
          min={1}
          step={1}
          value={variant.maxTokens}
          onChange={(event) => onChange({ ...variant, maxTokens: event.target.value })}
        />
      </label>
      <details>
        <summary>{moreOf(variant)}</summary>
        <MoreParameters variant={variant} onChange={onChange} />
      </details>
    </div>
  );
}

const AREAS = [
  { name: 'parameters', label: 'Other parameters, as JSON', placeholder: '{"top_p": 0.5}' },
  {
    name: 'tools',
    label: 'Tools, as a JSON list',
    placeholder: '[{"type": "function", "function": {"name": "find_order"}}]',
  },
  { name: 'schema', label: 'Response schema, as JSON', placeholder: '{"type": "object", "properties": {}}' },
] as const;

function MoreParameters({ variant, onChange }: Props) {
  return (
    <div className="more-parameters">
      {AREAS.map(({ name, label, placeholder }) => (
        <label key={name}>
          <span>{label}</span>
          <textarea
            className="field mono"
            rows={Math.min(12, variant[name].split('\n').length + 1)}
            placeholder={placeholder}
            value={variant[name]}
            onChange={(event) => onChange({ ...variant, [name]: event.target.value })}
          />
        </label>
      ))}
      <label>
        <span>Credential</span>
        <input
          className="field"
          maxLength={100}
          placeholder="default"
          value={variant.credential}
          onChange={(event) => onChange({ ...variant, credential: event.target.value })}
        />
      </label>
      <label>
        <span>Variables are written as</span>
        <select
          className="field"
          value={variant.format}
          onChange={(event) => onChange(withFormat(variant, event.target.value as Variant['format']))}
        >
          <option value="f-string">{'{name}'}</option>
          <option value="jinja2">{'{{ name }}, Jinja'}</option>
        </select>
      </label>
    </div>
  );
}

/** The contents of the folded part. */
function moreOf({ parameters, tools, schema }: Variant): string {
  const filled = [
    parameters.trim() && 'other parameters',
    tools.trim() && 'tools',
    schema.trim() && 'response schema',
  ].filter(Boolean);
  return filled.length > 0 ? `More: ${filled.join(', ')}` : 'More: tools, response schema…';
}
