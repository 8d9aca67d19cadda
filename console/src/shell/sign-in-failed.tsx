import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Session } from '../api/session';
import { useQueryOfUrl } from '../ui/address';
import { Note } from '../ui/parts';
import { useTitle } from '../ui/title';
import { SignIn } from './sign-in';
import { problemOf } from './sign-in-problems';

/** Target of identity providers after a failed sign-in or a failed linking of an identity. */
export function SignInFailed({ session }: { session: Session | null }) {
  useTitle('Sign in');
  const [, navigate] = useLocation();
  const wasSignedIn = useRef(session !== null);
  const problem = problemOf(useQueryOfUrl().get('code'));
  const isIn = session !== null && !wasSignedIn.current;
  useEffect(() => {
    if (isIn) navigate('/', { replace: true });
  }, [isIn, navigate]);
  if (isIn) return null;
  if (session === null) return <SignIn problem={problem} />;
  return (
    <Note title="Sign-in failed">
      <p role="alert">{problem}</p>
      <p>
        <Link href="/settings/account">Your account</Link>
      </p>
    </Note>
  );
}
