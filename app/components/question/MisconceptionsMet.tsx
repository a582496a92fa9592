'use client';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import { allAnswers, type Met, misconceptionsMet } from '@/app/progress/answers';
import { type Misconception, misconceptions } from '@/content/questions/misconceptions';
import styles from './misconceptions.module.css';

const times = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`);
const known: Readonly<Record<string, Misconception>> = misconceptions;

/** Which beliefs the learner's wrong answers stood for, in this browser. */
export function MisconceptionsMet({ titles }: { readonly titles: Readonly<Record<string, string>> }) {
  const [met, setMet] = useState<readonly Met[]>();
  useEffect(() => {
    void allAnswers().then((answers) => setMet(misconceptionsMet(answers)));
  }, []);
  const shown = met?.filter(({ misconception }) => misconception in known);
  return (
    <section className={styles.met} aria-labelledby="met">
      <h2 id="met">What your wrong answers had in common</h2>
      {shown?.length ? (
        <ul className={styles.list}>
          {shown.map(({ misconception, times: n, avoidedSince, generator }) => (
            <li key={misconception} data-misconception={misconception} data-avoided={avoidedSince > 0}>
              <p className={styles.belief}>{known[misconception].belief}</p>
              <p className={styles.facts}>
                chosen {times(n)}
                {avoidedSince > 0 ? `, avoided ${times(avoidedSince)} since` : ''} ·{' '}
                <Link href={`/lessons/${known[misconception].lesson}/`}>the lesson</Link>
                {titles[generator] ? (
                  <>
                    {' '}
                    · <Link href={`/questions/${generator}/`}>{titles[generator]}</Link>
                  </>
                ) : null}
              </p>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.empty}>
          {shown ? 'Nothing yet. ' : ''}Every wrong option stands for something that people believe. Those that you
          choose are kept here, in this browser only, with how often you avoided them since.
        </p>
      )}
    </section>
  );
}
