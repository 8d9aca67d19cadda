import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { ReviewQuestion } from '../api/schema.gen';
import { useKeys } from '../ui/keys';
import { type Answer, type Answers, answerTo, choicesOf, wordsOf } from './rubric';

/** The question that handles keys. A new object with the same index focuses it again. */
export interface Place {
  at: number;
}

interface Props {
  questions: readonly ReviewQuestion[];
  answers: Answers;
  place: Place;
  onMove: (place: Place) => void;
  /** null takes the answer back. */
  onChoose: (name: string, answer: Answer | null) => void;
}

/** All questions of a queue. Digits answer the one that has the focus; with one question, that one. */
export function Questions({ questions, answers, place, onMove, onChoose }: Props) {
  const asked = questions[place.at] ?? questions[0]!;
  const choose = (question: ReviewQuestion, answer: Answer) => {
    const isChosen = answerTo(answers, question.name) === answer;
    onChoose(question.name, isChosen && question.required === false ? null : answer);
  };
  const choices = choicesOf(asked.rubric);
  useKeys(Object.fromEntries(choices.map((choice, key) => [String(key + 1), () => choose(asked, choice)])));
  if (questions.length === 1) {
    return (
      <>
        <div className="review-choices" role="group" aria-label="Answers">
          <Choices
            question={asked}
            value={answerTo(answers, asked.name)}
            onChoose={(answer) => choose(asked, answer)}
          />
        </div>
        {asked.rubric.help && <p className="quiet-text">{asked.rubric.help}</p>}
      </>
    );
  }
  return questions.map((question, at) => (
    <QuestionGroup
      key={question.name}
      question={question}
      value={answerTo(answers, question.name)}
      active={place.at === at ? place : null}
      onFocus={() => place.at !== at && onMove({ at })}
      onStep={(step) => onMove({ at: Math.max(0, Math.min(questions.length - 1, at + step)) })}
      onChoose={(answer) => choose(question, answer)}
    />
  ));
}

interface GroupProps {
  question: ReviewQuestion;
  value: Answer | null;
  /** Set for the question that the keys are for. */
  active: Place | null;
  onFocus: () => void;
  onStep: (step: 1 | -1) => void;
  onChoose: (answer: Answer) => void;
}

const STEPS: Record<string, 1 | -1> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** One of several questions. It takes the focus as a whole, so that Tab leads to the next question and digits choose. */
function QuestionGroup({ question, value, active, onFocus, onStep, onChoose }: GroupProps) {
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active && !group.current!.contains(document.activeElement)) group.current!.focus();
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    // Otherwise the key would scroll the context.
    event.preventDefault();
    onStep(step);
  };
  return (
    <div
      ref={group}
      className="review-question"
      role="group"
      aria-label={question.name}
      aria-current={active !== null}
      tabIndex={0}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
    >
      <h3>
        {question.name}
        {question.required === false && <span className="quiet-text"> optional</span>}
      </h3>
      <div className="review-choices">
        <Choices
          question={question}
          value={value}
          hasKeys={active !== null}
          isPartOfGroup
          onChoose={(answer) => {
            group.current!.focus();
            onChoose(answer);
          }}
        />
      </div>
      {question.rubric.help && <p className="quiet-text">{question.rubric.help}</p>}
    </div>
  );
}

interface ChoicesProps {
  question: ReviewQuestion;
  value: Answer | null;
  hasKeys?: boolean;
  /** The group has the focus, and not its buttons. */
  isPartOfGroup?: boolean;
  onChoose: (answer: Answer) => void;
}

function Choices({ question, value, hasKeys = true, isPartOfGroup = false, onChoose }: ChoicesProps) {
  return choicesOf(question.rubric).map((choice, at) => (
    <button
      key={String(choice)}
      className="button"
      tabIndex={isPartOfGroup ? -1 : undefined}
      aria-pressed={choice === value}
      onClick={(event) => {
        // Enter saves, and does not choose again.
        event.currentTarget.blur();
        onChoose(choice);
      }}
    >
      {wordsOf(choice)} {hasKeys && <kbd>{at + 1}</kbd>}
    </button>
  ));
}
