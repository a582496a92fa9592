import { NextUp } from '@/app/components/progress/NextUp';
import { course } from '@/app/content/course';
import { highlightPython } from '@/app/content/highlighter';
import { exerciseSources } from '@/exercises/kit/discover';
import { plannedChecks } from '@/exercises/kit/grade';
import type { Exercise as ExerciseDefinition } from '@/exercises/kit/schema';
import { Workbench } from './Workbench';

/** An exercise by slug: its starter highlighted for readers without JavaScript, then editor, checks, hints. */
export async function Exercise({ slug, titled = true }: { readonly slug: string; readonly titled?: boolean }) {
  const { starter } = exerciseSources(slug);
  const { default: exercise } = (await import(`@/exercises/${slug}/exercise`)) as { default: ExerciseDefinition };
  const html = await highlightPython(starter);
  return (
    <div className="wide">
      <Workbench
        slug={slug}
        title={exercise.title}
        titled={titled}
        starter={starter}
        version={exercise.version}
        tasks={exercise.tasks}
        planned={plannedChecks(exercise)}
        hints={exercise.hints}
        followUps={exercise.followUps}
        // In a lesson the text goes on.
        next={titled ? undefined : <NextUp course={await course()} at={slug} />}
      >
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own starter, highlighted at build time */}
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </Workbench>
    </div>
  );
}
