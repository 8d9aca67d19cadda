import './model-field.css';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { dollars } from '../ui/format';

export interface ChosenModel {
  provider: string;
  name: string;
}

const KNOWN_FOR_MS = 60_000;

/** The providers of the server, with the names of the keys that the workspace has for each. */
function useProviders() {
  const { data } = useQuery({
    queryKey: ['model-providers'],
    queryFn: ({ signal }) => api('GET /api/public/v2/model-providers', { signal }),
    staleTime: KNOWN_FOR_MS,
  });
  return data?.model_providers ?? [];
}

/** Models of a provider that have a price. */
function useModels(provider: string) {
  const { data } = useQuery({
    queryKey: ['models', provider],
    queryFn: ({ signal }) => api('GET /api/public/v2/models', { query: { provider, limit: 100 }, signal }),
    staleTime: KNOWN_FOR_MS,
    enabled: provider !== '',
  });
  return data?.models ?? [];
}

const rateOf = (rate: number | null): string => (rate === null ? 'unknown' : dollars(rate));

/** A provider and a model, with those that are known as suggestions. Any other can be typed. */
export function ModelField(props: { model: ChosenModel; onChange: (model: ChosenModel) => void }) {
  const { model, onChange } = props;
  const id = useId();
  const providers = useProviders();
  const models = useModels(model.provider.trim());
  const chosen = providers.find(({ provider }) => provider === model.provider.trim().toLowerCase());
  const lacksKey = chosen !== undefined && chosen.needs_credential && chosen.credentials.length === 0;
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
      {lacksKey && (
        <Link className="link" href={`/settings/models?${new URLSearchParams({ provider: chosen.provider })}`}>
          Add a key for {chosen.provider}
        </Link>
      )}
      <datalist id={`${id}-providers`}>
        {providers
          .filter(({ can_chat: called }) => called)
          .map(({ provider }) => (
            <option key={provider} value={provider} />
          ))}
      </datalist>
      <datalist id={`${id}-names`}>
        {model.provider.trim() === 'tracesheet' && <option value="echo" />}
        {models.map(({ model: name, input_per_million_usd: input, output_per_million_usd: output }) => (
          <option key={name} value={name}>
            {`${rateOf(input)} in, ${rateOf(output)} out, per million tokens`}
          </option>
        ))}
      </datalist>
    </span>
  );
}
