import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AnswerOf } from '../api/client';
import type { ModelCredentialBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Dialog } from '../ui/dialog';
import { Field, Form, type FormValues } from '../ui/form';
import { duration } from '../ui/format';

type Result = AnswerOf<`POST ${typeof WORKSPACE}/model-credentials/{credential_id}/test`>;

/** Asks a model with a key whether it answers. */
export function TestCredential({ credential, onClose }: { credential: ModelCredentialBody; onClose: () => void }) {
  const path = useHere();
  const { id: credential_id, provider, name } = credential;
  const [result, setResult] = useState<Result | null>(null);
  const models = useQuery({
    queryKey: ['models', provider],
    queryFn: ({ signal }) => api('GET /api/public/v2/models', { query: { provider, limit: 100 }, signal }),
  });
  const test = async (values: FormValues) => {
    setResult(null);
    setResult(
      await api(`POST ${WORKSPACE}/model-credentials/{credential_id}/test`, {
        path: { ...path, credential_id },
        body: { model: values.text('model') },
      }),
    );
  };
  return (
    <Dialog label="Test a key" className="form-dialog" onClose={onClose}>
      <h1>
        Test the key “<bdi>{name}</bdi>” of {provider}
      </h1>
      <Form submit="Test the key" cancel="Close" onSubmit={test} onCancel={onClose}>
        <Field label="Model" hint="Sends a one-word request, which costs next to nothing." isRequired>
          {(tied) => (
            <>
              <input
                {...tied}
                className="field"
                name="model"
                list="known-models"
                required
                maxLength={255}
                data-first=""
              />
              <datalist id="known-models">
                {models.data?.models.map(({ model }) => (
                  <option key={model} value={model} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </Form>
      {result && (
        <p role="status" className={result.works ? undefined : 'bad'}>
          {result.message} {result.works && <span className="quiet-text">{duration(result.latency_ms)}</span>}
        </p>
      )}
    </Dialog>
  );
}
