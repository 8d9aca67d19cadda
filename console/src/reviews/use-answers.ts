import { useState } from 'react';
import { useKept } from '../ui/unsaved';
import type { Answer, Answers } from './rubric';

/** Answers that were chosen are kept until they are saved; before that, those of an earlier answer are shown. */
export function useAnswers(name: string, before: Answers) {
  const [text, keep] = useKept(`review answers ${name}`);
  const [isChanged, setChanged] = useState(false);
  const answers = text !== '' ? (JSON.parse(text) as Answers) : isChanged ? {} : before;
  const choose = (question: string, answer: Answer | null) => {
    setChanged(true);
    const others = Object.entries(answers).filter(([other]) => other !== question);
    const chosen = answer === null ? others : [...others, [question, answer] as const];
    keep(chosen.length === 0 ? '' : JSON.stringify(Object.fromEntries(chosen)));
  };
  return { answers, choose, forget: () => keep('') };
}
