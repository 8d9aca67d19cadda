import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useSigning } from '../api/session';
import { Field, Form, type FormValues } from '../ui/form';
import { Failure, Note, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { ProviderButtons, useWays } from './providers';

const MIN_PASSWORD = 10;

function watchFragment(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** The secret of the link, from the fragment, which browsers do not send. Another link in the same tab changes only it. */
export const useToken = (): string => useSyncExternalStore(watchFragment, () => location.hash.slice(1));

interface Props {
  token: string;
}

function NewPassword({ hint }: { hint?: string }) {
  return (
    <Field label="Password" hint={hint ?? `At least ${MIN_PASSWORD} characters.`} isRequired>
      <input
        className="field"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={MIN_PASSWORD}
        maxLength={256}
        required
      />
    </Field>
  );
}

/** The page behind an invitation link. */
export function Join({ token }: Props) {
  useTitle('Join');
  const { accept } = useSigning();
  const { data: ways, error: waysError, refetch } = useWays();
  const [, navigate] = useLocation();
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api('POST /console/invitation', { body: { token } }),
    retry: false,
  });
  if (error) return <Failure error={error} />;
  if (waysError) return <Failure error={waysError} onRetry={() => void refetch()} />;
  if (!data || !ways) return <Waiting on />;
  const begin = (provider: string) => api('POST /console/invitation/sign-in', { body: { token, provider } });
  const join = (values: FormValues) =>
    accept({ token, password: values.raw('password'), name: values.optional('name') });
  return (
    <main className="sign-in">
      <div>
        <h1>Join {data.workspace_name}</h1>
        <p>{data.is_new_user ? `Create your account for ${data.email}.` : `Sign in as ${data.email} to join.`}</p>
        <ProviderButtons providers={ways.providers} label="Join with" begin={begin} />
        {ways.has_passwords && (
          <Form submit="Join" onSubmit={join} onDone={() => navigate('/', { replace: true })}>
            {data.is_new_user && (
              <Field label="Your name">
                <input className="field" name="name" maxLength={255} autoComplete="name" />
              </Field>
            )}
            <NewPassword hint={data.is_new_user ? undefined : 'The password of your account.'} />
          </Form>
        )}
      </div>
    </main>
  );
}

/** The page behind a link that sets a password. */
export function SetPassword({ token }: Props) {
  useTitle('Set a password');
  const [isDone, setDone] = useState(false);
  if (isDone) {
    return (
      <Note title="Your password is set">
        <p>
          <a href="/console/">Sign in</a> with your e-mail address and the new password.
        </p>
      </Note>
    );
  }
  const set = (values: FormValues) =>
    api('POST /console/password', { body: { token, password: values.raw('password') } });
  return (
    <main className="sign-in">
      <div>
        <h1>Set a password</h1>
        <p>All sessions of your account end.</p>
        <Form submit="Set the password" onSubmit={set} onDone={() => setDone(true)}>
          <NewPassword />
        </Form>
      </div>
    </main>
  );
}

/** The page of an operator's one-time sign-in link. It waits for a click, because link scanners must not use it up. */
export function SignInByLink({ token }: Props) {
  useTitle('Sign in');
  const { signInByLink } = useSigning();
  const [, navigate] = useLocation();
  return (
    <main className="sign-in">
      <div>
        <h1>Sign in by link</h1>
        <p>The link works once.</p>
        <Form submit="Sign in" onSubmit={() => signInByLink(token)} onDone={() => navigate('/', { replace: true })} />
      </div>
    </main>
  );
}
