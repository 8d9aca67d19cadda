import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ModelCredentialBody, ModelProviderBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Options } from '../ui/options';
import { sendChanges } from './changes-of';

interface Props {
  /** Preselected provider; empty for none. */
  provider: string;
  providers: ModelProviderBody[];
  /** The one that is changed; without it a new one is made. */
  credential?: ModelCredentialBody;
  onClose: () => void;
}

/** Choice for servers with an API like that of OpenAI. */
const OTHER = '';

const LIMITS = {
  max_concurrency: 'Concurrent calls',
  requests_per_minute: 'Calls per minute',
  tokens_per_minute: 'Tokens per minute',
} as const;

/** Adds or changes a key of a provider. The fields depend on the provider. */
export function EditCredential({ provider: first, providers, credential, onClose }: Props) {
  const path = useHere();
  const refresh = useRefresh('model-credentials', 'model-providers');
  const named = providers.filter(({ needs_credential: needed, can_chat: called }) => needed && called);
  const [chosen, choose] = useState(named.some(({ provider }) => provider === first) ? first : OTHER);
  const known = named.find(({ provider }) => provider === chosen);
  const save = async (values: FormValues) => {
    const secret = values.text('secret');
    const form = {
      name: values.text('name'),
      base_url: values.optional('base_url'),
      options: optionsOf(values, known),
      ...limitsIn(values),
      // A key that is not typed again stays.
      ...((!credential || secret !== '') && { secret }),
    };
    if (credential) {
      const ofCredential = { ...path, credential_id: credential.id };
      await sendChanges(form, credential, (body) =>
        api(`PATCH ${WORKSPACE}/model-credentials/{credential_id}`, { path: ofCredential, body }),
      );
    } else {
      const provider = known?.provider ?? values.text('provider');
      await api(`POST ${WORKSPACE}/model-credentials`, { path, body: { ...form, provider } });
    }
    await refresh();
  };
  const title = credential ? `Change the key of ${credential.provider}` : 'Add a key';
  return (
    <FormDialog title={title} submit="Save" onSubmit={save} onClose={onClose}>
      {!credential && <ProviderFields named={named} chosen={chosen} first={first} onChoose={choose} />}
      <SecretField known={known} credential={credential} />
      <BaseUrlField isNeeded={!known || known.needs_base_url} credential={credential} />
      {known?.options.map(({ name, description, required }) => (
        <Field key={name} label={name} hint={description} isRequired={required}>
          <input
            className="field"
            name={`option ${name}`}
            maxLength={500}
            required={required}
            defaultValue={credential?.options[name]}
          />
        </Field>
      ))}
      <NameField known={known} credential={credential} />
      <Limits credential={credential} />
    </FormDialog>
  );
}

interface ProviderProps {
  named: ModelProviderBody[];
  chosen: string;
  first: string;
  onChoose: (provider: string) => void;
}

function ProviderFields({ named, chosen, first, onChoose }: ProviderProps) {
  const pairs = [
    ...named.map(({ provider }) => [provider, provider] as const),
    [OTHER, 'Another OpenAI-compatible server'] as const,
  ];
  return (
    <>
      <Field label="Provider">
        <select className="field" data-first="" value={chosen} onChange={({ target }) => onChoose(target.value)}>
          <Options pairs={pairs} />
        </select>
      </Field>
      {chosen === OTHER && (
        <Field label="Name of the provider" hint="The name that prompts use, such as ollama or vllm." isRequired>
          <input className="field" name="provider" required maxLength={100} defaultValue={first} />
        </Field>
      )}
    </>
  );
}

/** The provider, where the server knows it, and the credential that is changed. */
interface Known {
  known?: ModelProviderBody;
  credential?: ModelCredentialBody;
}

function NameField({ known, credential }: Known) {
  return (
    <Field
      label="Name"
      hint="Prompts that name no key use the key called “default”, or the provider’s only key."
      isRequired
    >
      <input
        className="field"
        name="name"
        required
        maxLength={100}
        defaultValue={credential?.name ?? (known?.credentials.includes('default') ? '' : 'default')}
      />
    </Field>
  );
}

function Limits({ credential }: Pick<Known, 'credential'>) {
  return (
    <details>
      <summary>Limits</summary>
      {Object.entries(LIMITS).map(([name, label]) => (
        <Field key={name} label={label} hint="Across all server processes. If empty, no limit.">
          <input
            className="field"
            name={name}
            type="number"
            min={1}
            step={1}
            defaultValue={credential?.[name as keyof typeof LIMITS] ?? ''}
          />
        </Field>
      ))}
    </details>
  );
}

function SecretField({ known, credential }: Known) {
  const kept = credential && `Leave empty to keep the key that ends in …${credential.last_4}.`;
  const what = known?.secret ?? (known ? null : 'Your own servers may not need one.');
  return (
    <Field label="Key" hint={[what, kept].filter(Boolean).join(' ') || undefined} isRequired={!credential && !!known}>
      <input
        className="field"
        name="secret"
        type="password"
        autoComplete="off"
        spellCheck={false}
        maxLength={20_000}
        required={!credential && !!known && !known.needs_base_url}
      />
    </Field>
  );
}

function BaseUrlField({ isNeeded, credential }: { isNeeded: boolean; credential?: ModelCredentialBody }) {
  const usual = isNeeded ? 'Such as https://models.example.com/v1.' : 'Leave empty for the provider’s default URL.';
  return (
    <Field
      label="Base URL"
      hint={`${usual} Private addresses are rejected unless the server allows them.`}
      isRequired={isNeeded}
    >
      <input
        className="field"
        name="base_url"
        type="url"
        maxLength={2000}
        required={isNeeded}
        defaultValue={credential?.base_url ?? ''}
      />
    </Field>
  );
}

function optionsOf(values: FormValues, known: ModelProviderBody | undefined): Record<string, string> {
  const given = (known?.options ?? []).map(({ name }) => [name, values.text(`option ${name}`)]);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Record<string, string>;
}

const limitsIn = (values: FormValues) =>
  Object.fromEntries(Object.keys(LIMITS).map((name) => [name, values.number(name)])) as Record<
    keyof typeof LIMITS,
    number | null
  >;
