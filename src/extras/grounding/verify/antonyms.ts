import { stemOf } from "../text/tokenize.ts";

/**
 * Words of opposite meaning: each word before a slash against each after it. Chosen by hand from general knowledge of
 * English. Forms with the same stem are listed once.
 */
const PAIRS = `
increase rise rose risen grow / decrease reduce decline fall fell fallen shrink shrank drop lose lost contract;
grew grown gain expand raise / decrease reduce decline fall fell fallen shrink shrank drop lose lost contract;
accelerate speed / decelerate slow; profit / loss lose lost; above over / below under; before / after;
earlier early / later late; ahead / behind; more most / less least fewer few; many much / few little;
all every always / none never; often frequently usually always / rarely seldom never infrequently;
sometimes / never always; both / neither; higher high upper top / lower low bottom; maximum maximal / minimum minimal;
first initial / last final; former / latter; previous prior preceding past / next following subsequent future;
begin began begun start started commence initiate launch / end ended finish stop stopped cease terminate conclude;
open opened / close closed shut;
accept accepted approve approved agree / reject rejected refuse refused decline deny disagree disapprove;
allow permit let enable authorize / forbid forbade forbidden prohibit prevent ban disallow disable block;
win won victory / lose lost defeat; buy bought purchase / sell sold; include included contain / exclude excluded omit;
succeed success successful pass / fail failure unsuccessful failed;
male man men boy father son husband king / female woman women girl mother daughter wife queen;
positive positively / negative negatively; public publicly / private privately;
same identical equal similar / different unequal dissimilar; large big huge great / small little tiny;
long longer tall / short shorter brief; wide broad / narrow; thick / thin; deep / shallow; heavy / light;
fast faster quick quickly rapid rapidly / slow slower slowly gradual gradually;
strong stronger strengthen powerful / weak weaker weaken powerless; legal legally / illegal illegally; true / false;
real / fake imaginary; safe safely secure / dangerous unsafe risky insecure; import / export; borrow / lend lent;
ascend climb up / descend down; better good well best / worse bad badly poorly worst;
improve worse enhance / worsen degrade deteriorate; cheap inexpensive / expensive costly; full / empty;
hot warm / cold cool; support favor endorse / oppose reject; mandatory compulsory obligatory / optional voluntary;
internal inside inner interior indoor / external outside outer exterior outdoor; north northern / south southern;
east eastern / west western; left / right; new newer modern young younger recent / old older ancient;
alive living live / dead; birth born / death died; temporary temporarily / permanent permanently;
active actively / inactive passive; create created build built make made produce / destroy destroyed demolish;
add added adding addition / remove removed removing removal subtract;
give gave given provide provided supply / take took taken withhold withheld deny; send sent / receive received;
arrive arrived enter entered / leave left depart departed exit exited; join joined / leave left;
help helps helped assist / hinder hindered harm hurt; protect protected defend / endanger attack attacked harm;
remember remembered / forget forgot forgotten; encourage encouraged / discourage discouraged; attract / repel;
praise / criticize blame; love like loved liked / hate dislike hated disliked;
easy easier simple simply / difficult hard harder complex complicated;
common usual ordinary normal / rare uncommon unusual extraordinary abnormal; major primary main / minor secondary;
single / multiple; general generally generic / specific specifically; broad / specific;
partial partially partly / complete completely full fully entire entirely; whole / part partial;
near close nearby / far distant; here / there; present / absent; presence / absence; appear / disappear vanish;
visible / hidden invisible; show reveal expose / hide hid hidden conceal; known / unknown;
certain sure definite / uncertain doubtful; clear / unclear vague; available / unavailable;
able capable / unable incapable; possible / impossible; likely / unlikely;
important significant / unimportant insignificant trivial; necessary needed / unnecessary; free freely / paid;
rich wealthy / poor; advantage benefit beneficial strength / disadvantage drawback harmful weakness;
day daytime / night nighttime; morning / evening; summer / winter; white / black; dark / bright light; wet / dry;
clean / dirty; soft / hard; loud / quiet; sharp / blunt dull; smooth / rough; fresh / stale; natural / artificial;
domestic national local / foreign international global; urban / rural; civil / criminal; plaintiff / defendant;
guilty / innocent; parent / child; teacher / student; employer / employee; landlord / tenant;
lender creditor / borrower debtor; buyer / seller; debit / credit; deposit / withdraw withdrawal; asset / liability;
income revenue / expense expenditure outgo; surplus / deficit; supply / demand; save saved / spend spent waste;
lend / borrow; input / output; upload / download; install / uninstall; connect attach / disconnect detach;
lock / unlock; encrypt / decrypt; push / pull; online / offline; forward / backward; front / back rear;
horizontal / vertical; static / dynamic; manual manually / automatic automatically;
direct directly / indirect indirectly; formal / informal; official / unofficial; individual / collective group;
together / apart separately; combine join merge unite / separate split divide; gather collect / scatter spread;
find found / lose lost; hire hired / fire fired; employ / dismiss; admit / deny; confirm / deny refute;
prove / disprove; obey comply / disobey violate; follow / precede lead;
continue continued keep / stop stopped discontinue; maintain / abandon; remain stay / leave; victory / defeat;
ally friend / enemy; peace / war; question / answer; cause / effect; majority / minority; expert / novice;
hero / villain; happy / sad unhappy; healthy well / sick ill unhealthy; awake / asleep; hope / despair;
careful carefully / careless carelessly; patient / impatient; honest / dishonest; formal / casual; past / future;
odd / even; divide / multiply; analog / digital; hardware / software; northwest / southeast; northeast / southwest;
upstream / downstream; inbound incoming / outbound outgoing; inward / outward; within / outside; on / off; in / out;
rise sunrise / sunset; breathable / stifling; tighten / loosen; straight / crooked curved; fertile / infertile barren;
guilt / innocence; growth / decline; gain / loss; acceptance / rejection; arrival / departure; entrance / exit;
beginning start / end ending; increase growth / reduction decrease; ancestor / descendant; native / foreign;
regular / irregular; voluntary / involuntary forced; wet / arid; literate / illiterate; mature / immature;
pure / impure; active / dormant; cooperative / competitive; optimistic / pessimistic; offensive / defensive;
conservative / liberal progressive; consumer / producer; vegetarian / carnivorous; predator / prey; loss / gain;
lack shortage / abundance; shortage / surplus; strict / lenient; tax / untaxed; obsolete outdated / current;
introduce introduced / abolish abolished; uphold upheld / dismiss dismissed overturn overturned;
noon midday / midnight; survive survived / die died perish; advance / retreat;
faulty defective damaged / flawless intact undamaged; begin / expire; grant granted / deny denied refuse refused;
hire / dismiss; rent / own; melt / freeze froze; arrive arrived / depart departed; lengthen / shorten;
strengthen / weaken; expensive dear / cheap; mild / severe; wholesale / retail; upstairs / downstairs;
daily / nightly; odd / normal; flexible / rigid; shallow / deep; loose / tight; guest / host;
seller vendor / buyer customer; borrower / lender; upgrade / downgrade; attend / miss; exempt / subject;
used / unused; raise raised lift lifted boost boosted / lower lowered cut reduce;
climb climbed jump jumped soar soared surge surged / drop dropped plunge plunged fall fell sink sank cut slump
slumped;
double doubled triple tripled / halve halved;
praise praised welcome commend commended / criticize criticized condemn condemned blame blamed;
widen widened / narrow narrowed; required obligatory compulsory mandatory necessary / optional voluntary;
promote promoted / demote demoted;
extend extended expand expanded enlarge enlarged lengthen / shorten shortened reduce reduced narrow narrowed curtail;
tighten tightened / relax relaxed ease eased;
found founded establish established form formed / dissolve dissolved abolish abolished close closed;
appoint appointed elect elected / dismiss dismissed defeat defeated; reelected elected / defeated;
sweet / sour bitter; benefit / damage; solid / liquid; cure / cause; deter deterred / attract attracted;
harmless / harmful; useful / useless; overestimate overpay overvalue / underestimate underpay undervalue; humid / dry;
clockwise / anticlockwise counterclockwise; retain retained keep kept preserve preserved / discard discarded;
back backed support supported endorse endorsed / reject rejected oppose opposed; married / divorced single unmarried;
acidic / alkaline; deciduous / evergreen; edible / poisonous; fragile / sturdy; noisy / quiet;
crowded busy / empty quiet; ripe / unripe; raw / cooked; inhale / exhale; frozen freeze / thaw thawed;
ignore ignored / heed heeded; swell / shrink; warm warmer warmed / cool cooler cooled; sunny / rainy cloudy;
owner / tenant; inclusive included / exclusive excluded extra; excluding / including; everyone everybody / nobody;
anywhere everywhere / nowhere; voluntary unpaid / paid; rural / metropolitan;
expire expired lapse lapsed / renew renewed; increasing rising growing / decreasing falling shrinking;
hardback / paperback; junior / senior; amateur / professional; monolingual / bilingual; solo alone / together;
weekday / weekend; clockwise / counterclockwise; shallow / steep; gentle / steep harsh; lax / strict;
opponent critic / supporter; winner / loser; victim / perpetrator; sender / recipient;
departing outgoing / arriving incoming; pro / anti; pre / post;
postpone postponed delay delayed / advance bring brought; confirmed / cancelled canceled; sweetened / unsweetened;
refuse refused reject rejected decline declined / accept accepted grant granted;
against / for favor favour; both / neither; everywhere anywhere / nowhere; unused / used; ahead / behind;
lent borrowed / owned; valid / invalid expired void; compulsory / optional; tall / short; dark darker dim /
bright brighter light lighter; sealed / open opened; winter / summer; deny denied / admit admitted confirm confirmed;
quieter quiet / louder loud noisier
`;

const OPPOSITES: ReadonlyMap<string, ReadonlySet<string>> = build();

/** Prefixes that negate a word: `possible`, `impossible`. */
const NEGATING_PREFIXES = ["un", "im", "il", "ir", "dis", "non"];
/** Negating prefixes that also begin many unrelated words. */
const AMBIGUOUS_PREFIXES = ["in", "mis"];

/** Minimum number of letters of a root: `able`. */
const MIN_ROOT_LENGTH = 4;

/** Returns true if two keys are words of opposite meaning: listed, or one is the other with a negating prefix. */
export function isOpposite(first: string, second: string): boolean {
  return OPPOSITES.get(first)?.has(second) === true || isNegated(first, second) || isNegated(second, first);
}

function isNegated(negated: string, root: string): boolean {
  if (root.length < MIN_ROOT_LENGTH) return false;
  if (AMBIGUOUS_PREFIXES.some((prefix) => negated === prefix + root)) return true;
  const prefix = NEGATING_PREFIXES.find((each) => negated.startsWith(each));
  const rest = negated.slice(prefix?.length);
  // Stemming shortens a longer word further: "unsuit" and "suitabl".
  return (
    prefix !== undefined &&
    negated !== "improv" &&
    rest.length >= MIN_ROOT_LENGTH &&
    (rest.startsWith(root) || root.startsWith(rest))
  );
}

/** Returns a comparative or superlative: `hot`, `hotter`, `hottest`; `heavy`, `heavier`. */
function withSuffix(word: string, suffix: string): string {
  if (suffix === "") return word;
  if (/[aeiou][bdgmnpt]$/.test(word) && !/[aeiou]{2}.$/.test(word)) return `${word}${word.at(-1)}${suffix}`;
  return `${word.replace(/y$/, "i").replace(/e$/, "")}${suffix}`;
}

/** Returns a word as written, by which function words are compared, and the stems of its forms. */
function formsOf(word: string): readonly string[] {
  return [word, ...["", "er", "est"].map((suffix) => stemOf(withSuffix(word, suffix)))];
}

function build(): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  const add = (word: string, opposite: string): void => {
    map.set(word, (map.get(word) ?? new Set()).add(opposite));
    map.set(opposite, (map.get(opposite) ?? new Set()).add(word));
  };
  for (const pair of PAIRS.trim().split(/;\s+/)) {
    const [first = [], second = []] = pair.split(/\s\/\s/).map((side) => side.split(/\s+/).map(formsOf));
    for (const forms of first)
      for (const opposites of second) forms.forEach((form, at) => add(form, opposites[at] ?? ""));
  }
  return map;
}
