import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { api } from '../api/client';

export interface ChosenModel {
  provider: string;
  name: string;
}

/** Providers that the server knows how to call. Others are called like OpenAI, at the address of their credential. */
const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'cohere',
  'openrouter',
  'huggingface',
  'vertexai',
  'openai.azure',
  'amazon.bedrock',
  'anthropic.bedrock',
  'tracesheet',
];

/** Values that calls of the workspace had. */
function useKnown(field: 'engine' | 'provider_type'): string[] {
  const { data } = useQuery({
    queryKey: ['log-suggestions', field, ''],
    queryFn: ({ signal }) => api('GET /api/public/v2/requests/suggestions', { query: { field }, signal }),
    staleTime: 60_000,
  });
  return (data?.values ?? []).map(String);
}

/** A provider and a model, with those that are known as suggestions. Any other can be typed. */
export function ModelField(props: { model: ChosenModel; onChange: (model: ChosenModel) => void }) {
  const { model, onChange } = props;
  const id = useId();
  const providers = [...new Set([...useKnown('provider_type'), ...PROVIDERS])];
  const names = [...new Set([...useKnown('engine'), ...(model.provider === 'tracesheet' ? ['echo'] : [])])];
  return (
    <span className="model-field">
      <input
        className="field"
        aria-label="Provider"
        placeholder="Provider"
        list={`${id}-providers`}
        maxLength={255}
        spellCheck={false}
        value={model.provider}
        onChange={(event) => onChange({ ...model, provider: event.target.value })}
      />
      <input
        className="field"
        aria-label="Model"
        placeholder="Model"
        list={`${id}-names`}
        maxLength={255}
        spellCheck={false}
        value={model.name}
        onChange={(event) => onChange({ ...model, name: event.target.value })}
      />
      <datalist id={`${id}-providers`}>
        {providers.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <datalist id={`${id}-names`}>
        {names.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </span>
  );
}
