/** The components that MDX may use: all of them, and nothing else. CONTRIBUTING.md shows each one. */
import { Exercise } from '@/app/components/exercise/Exercise';
import { Question } from '@/app/components/question/Question';
import { Widget } from '@/app/components/widgets/Widget';
import { Aside } from './Aside';
import { Cell } from './Cell';
import { Figure } from './Figure';
import { FollowUp } from './FollowUp';
import { Num } from './num/Num';
import { Predict } from './Predict';
import { Recap } from './Recap';
import { Weak } from './Weak';

export const vocabulary = { Aside, Cell, Exercise, Figure, FollowUp, Num, Predict, Question, Recap, Weak, Widget };
