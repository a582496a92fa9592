import Link from 'next/link';
import { Failures } from './components/home/Failures';
import { Hero } from './components/home/Hero';
import styles from './components/home/home.module.css';
import { LessonState } from './components/progress/LessonState';
import { NextUp } from './components/progress/NextUp';
import { ContentList } from './components/site/ContentList';
import { course } from './content/course';
import { lessons } from './content/lessons';

export default async function Home() {
  const all = await lessons();
  return (
    <>
      <Hero first={all[0]} />
      <div className={`page ${styles.next}`}>
        <NextUp course={await course()} quietAtFirst />
      </div>
      <Failures />
      <section className={`page ${styles.section}`} aria-labelledby="course">
        <div className={styles.sectionHead}>
          <h2 id="course">The course</h2>
          <p>
            Written for an ML engineer with an interview in days: say the right thing in two minutes, read a broken
            training loop and name the fault, write the fix, defend it with numbers.
          </p>
        </div>
        <ContentList base="/lessons/" entries={all} level="h3" state={(slug) => <LessonState slug={slug} />} />
        <p className={styles.more}>
          <Link href="/exercises/">All exercises</Link>
          <Link href="/lab/">An empty script in the lab</Link>
        </p>
      </section>
      <section className={`page ${styles.section}`} aria-labelledby="trust">
        <div className={styles.sectionHead}>
          <h2 id="trust">Why you can trust the numbers</h2>
        </div>
        <dl className={styles.trust}>
          <div>
            <dt>Sixteen bits are sixteen bits</dt>
            <dd>
              A float16 tensor holds float16 patterns, never float32 in disguise. Rounding is integer code of our own,
              on the CPU and on the GPU, and subnormals survive.
            </dd>
          </div>
          <div>
            <dt>Two engines, one answer</dt>
            <dd>
              A reference in plain TypeScript defines every op. The WebGPU kernels have to agree with it, and both with
              values recorded from PyTorch. Your GPU is checked when it starts.
            </dd>
          </div>
          <div>
            <dt>Nothing is quoted</dt>
            <dd>
              Every number in a lesson is printed by a cell on the page. Change the cell and it changes. The test suite
              runs all of them again.
            </dd>
          </div>
          <div>
            <dt>It is your machine</dt>
            <dd>
              Real CPython runs in a worker of this tab, cut off from the network. There is no account and no server;
              what you write stays here.
            </dd>
          </div>
        </dl>
      </section>
    </>
  );
}
