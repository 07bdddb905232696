import { stemOf } from "./tokenize.ts";

/** Words that mean about the same. Chosen by hand from general knowledge of English; forms with one stem once. */
const GROUPS = `
begin start commence launch open kick; end finish stop conclude terminate expire cease close over; buy purchase
acquire bought obtain takeover; get receive obtain gain acquire got given; give provide supply offer hand grant gave
donate gift; return refund send reimburse repay back; pay cost charge price fee spend paid; free gratis complimentary
cost charge fee; kid child children youngster; parent mother father mum mom dad; person people individual someone
human; customer client shopper buyer guest user consumer; buyer purchaser customer; shop store outlet; photo
photograph picture image snapshot; broken damaged faulty defective harmed; damage harm injure hurt break; fix repair
restore; replace exchange swap substitute; need require necessary must; allow permit let may authorize; forbid
prohibit ban disallow bar; stop prevent block avoid; avoid away refrain shun; big large huge great substantial; small
little tiny minor; increase rise grow climb up raise rose grew gain; decrease fall drop decline down lower reduce fell
shrink cut; fast quick rapid speedy swift; slow gradual; show display exhibit reveal demonstrate indicate; say state
tell report announce declare claim said told; ask request inquire; answer reply respond; help assist support aid; use
utilize employ apply; make create produce build manufacture made built; found establish set create start; leave depart
quit resign step exit left; stay remain keep; hold contain keep; keep retain store preserve kept; house home residence
dwelling; flat apartment unit; car vehicle automobile; drive ride travel journey trip; trip journey travel ride tour;
job work position post employment role; worker employee staff personnel; boss manager director head chief; head lead
run direct manage led chair; company firm business corporation enterprise; group team band consortium set; meeting
session gathering; doctor physician; medicine drug medication; ill sick unwell; illness disease sickness; die death
dead deceased; born birth; live reside dwell inhabit; area region zone district; town city village; country nation
state; abroad foreign overseas outside; money fund cash finance sum; fund finance pay sponsor; loan lend lender borrow
credit; salary wage pay; tax levy duty; rule regulation policy law; contract agreement deal; sign subscribe; check
inspect examine verify test; look view see watch; find discover locate found; search look seek; choose select pick;
change alter modify amend adjust; different differ distinct other difference; same equal identical alike; begin first
initial; last final; old aged age former; new recent fresh latest; young youth; year annual yearly; month monthly;
week weekly; day daily; yearly annually; hour hourly; important main key major significant; about approximately around
roughly nearly almost; at least minimum; most maximum limit; entire full complete total; part share portion piece;
number amount quantity count; many numerous several; enough sufficient; without lack; also too additionally; later
afterwards after subsequently; before earlier prior beforehand previously; after following; during while throughout;
soon shortly immediately promptly; immediately instantly once; often frequently regularly; always constantly; because
due since owing; quiet silent; talk speak discuss; write wrote author pen; book volume title; read study; teach taught
instruct train; learn study; school university college; student pupil undergraduate university; win won victory; prize
award honor; award grant; famous known renowned celebrated; name call title known; join enter; marry wed wife husband
spouse; move relocate transfer shift; carry transport deliver bring; deliver ship send dispatch; arrive come reach;
wait delay; delay postpone; cancel revoke withdraw; book reserve order; booking reservation; ticket admission; entry
entrance admission access; guarantee warranty; cover include insure; include contain comprise feature; exclude omit;
connect link join internet online; offline disconnected; internet online web; computer device machine; phone telephone
call ring; contact reach write; email mail; inform notify tell know advise; notice notification; warn caution; danger
risk hazard; safe secure; protect guard shield; water rain; food meal eat; drink beverage; cook prepare; clean wash;
eat consume swallow; sleep rest; feel mood emotion; happy glad pleased; like enjoy prefer; want wish desire; plan
intend aim propose; try attempt; succeed success achieve; fail failure; grow cultivate; plant crop; animal creature;
tree wood forest; sea ocean; mountain hill peak; river stream; road street route; bus coach; plane aircraft; train
rail railway; bike bicycle cycle; walk foot; near close nearby; far distant; high tall; long length lengthy last; wide
width; deep depth; heavy weight weigh; hot heat warm; cold cool; bright light; dark dim; rich wealthy; cheap
inexpensive affordable; expensive costly; good fine great; bad poor; best top finest; hard difficult tough; easy
simple; right correct true; wrong incorrect false; real actual genuine; possible able can; likely probable expected;
expect anticipate forecast predict; believe think consider; decide determine resolve; agree accept consent approve;
accept take; refuse reject decline; argue dispute; vote elect ballot; government administration state; minister
secretary; leader head chief; war conflict; attack assault; army military; police officer; court judge tribunal; crime
offence; kill murder; fire blaze burn; destroy ruin wreck; lose lost loss; profit earnings; income revenue earnings;
sell sold sale; market trade; grow expand; expand extend enlarge; wing extension; top roof upper; permanent lasting;
accompany escort join; supervise oversee; responsible charge; own possess belong; owner proprietor; landlord owner;
tenant renter; rent lease let; insurance cover; medical health; study trial research investigation; scientist
researcher; result outcome finding; effect impact influence; cause lead trigger; improve better enhance; worse worsen;
reduce lower cut; limit restrict cap; limit maximum; gone disappear vanish; disappear vanish; appear emerge; publish
release issue appear; version edition; feature function; file document; save store; remove delete; delete erase; add
append; edit modify work; sync synchronize; update upgrade; install setup; error bug fault; problem issue trouble;
solve fix; anyone everybody everyone; everyone all; building structure; room chamber; floor storey; garden yard; dog
puppy; cat kitten; pet animal; britain uk kingdom; altitude elevation height level; step stair; cancel end terminate;
subscription membership licence license; member subscriber; distance long away; date since; visitor guest tourist;
tour visit trip; festival fair event; exhibition display show; concert performance show; actor performer; paint colour
color; wall fence; bridge crossing; harbor port; factory plant works; machine equipment appliance; tool instrument;
engine motor; battery charge power; electricity power current; gas fuel; oil petrol fuel; waste rubbish garbage trash
litter; recycle reuse; storm gale; flood flooding; rain rainfall; snow snowfall; temperature degree; harvest pick
gather crop; farm farmer agricultural; field meadow; bird species; fish fishing; species kind type; kind type sort;
method way technique approach procedure; aim goal objective target purpose; reason cause why; advantage benefit;
opinion view; proof evidence; example instance; rate price level; pupil child; lesson class course; exam test; degree
qualification; grade mark score; fine penalty punish; prison jail; thief theft steal robbery; illegal unlawful; permit
licence authorization; passport identity id identification; form questionnaire; letter mail post; address location;
map plan; language speak; translate translation; news report article; newspaper journal magazine; film movie; song
music; player athlete; team side squad; match game; coach trainer; champion winner; medal prize; swim pool; gym
fitness; health medical; hospital clinic; nurse carer; pain ache; dose amount; tablet pill; infection disease; skin
rash; heart cardiac; lung breath; pregnant pregnancy; baby infant newborn; age old year; birthday birth; grandparent
grandmother grandfather; sibling brother sister; couple pair two; single alone; own private;
traveler traveller passenger commuter rider; suffer have experience; fewer less reduce; finalist runner
second; champion winner; trophy cup title prize; kill death die; overnight night; stranded stuck; cut fail outage;
electricity power; caution warn warning; bigger larger; postpone put; refund reimbursement repayment;
prescribe prescription; mandatory must; obligation duty must; entitle right eligible;
eligible qualify; apply application request; register registration enrol sign; valid run last; renew extend;
bill invoice; overdue late; deadline due; employee worker; hire recruit employ; dismiss fire; resign quit;
headquarters base office; subsidiary division unit; acquisition takeover purchase; merger merge; shareholder investor;
dividend payout; turnover revenue sales; forecast expect outlook; audit review; debt borrow loan; lender bank creditor;
symptom sign; physician gp doctor; tablet medicine; swallow take; vaccine vaccination jab; fever temperature;
injure injury hurt wound; surgery operation; recover heal; treat treatment therapy; dizzy dizziness; tired tiredness
fatigue; allergic allergy; pharmacy chemist; fridge refrigerator; freezer freeze; carton box package packaging;
plug socket; switch turn; button key; hose pipe; leak drip; clog block; screen display; manual guide instruction;
spare replacement; noisy loud noise; silent quiet; clean cleaning wash; fill refill; mayor council; council authority
municipality; resident citizen inhabitant; neighbourhood district; detour diversion; closure close shut; reopen open;
evacuate evacuation leave; rescue save; collapse fall; demolish tear; ban prohibition; petition appeal; sue lawsuit
claim; plaintiff claimant; verdict ruling decision; consent permission approval agreement; terminate cancel;
notice warning; sublet sublease; deposit security; utility electricity gas water; score goal; referee umpire; captain
leader; defeat beat; draw tie; injury hurt; replace substitute; spectator fan crowd audience attendance; season year;
stadium arena ground; crown title; scientist author team; participant subject volunteer; sample specimen; habitat
territory area; nocturnal night; diet food eat; offspring cub young; telescope instrument; orbit circle; observe
watch see; discover detect spot; measure measurement; average mean; majority most; minority few; halve half; double
twice; triple three; annually year; fortnight week; weekly week; daily day; monthly month; quarterly quarter
`;

let synonyms: ReadonlyMap<string, ReadonlySet<string>> | undefined;

function build(): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  for (const group of GROUPS.trim().split(/;\s+/)) {
    const keys = group.split(/\s+/).flatMap((word) => [word, stemOf(word)]);
    for (const key of keys) map.set(key, new Set([...(map.get(key) ?? []), ...keys]));
  }
  return map;
}

/** Returns true if two keys are words that mean about the same. */
export function isSynonym(first: string, second: string): boolean {
  synonyms ??= build();
  return synonyms.get(first)?.has(second) === true;
}

/** Returns true if two keys are equal or words that mean about the same. */
export function isSameOrSynonym(first: string, second: string): boolean {
  return first === second || isSynonym(first, second);
}
