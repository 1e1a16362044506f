"""What columns are called in English, French, German, Dutch and Spanish, and what that means.

Exposure follows the examples of Sondeck and Laurent, section 4.1: demographic data are found by
everybody (EE), habits and homes by those who search (ER), dates of an organisation's own events by
its services (IE), medical details by few (IR). Sensitive categories are those of the General Data
Protection Regulation, articles 9 and 10, and a person's money; their impacts are a place to start.

A term that starts with ``=`` must be the whole name: ``name`` is a person's, ``file name`` is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role

__all__ = ["MEANINGS", "Meaning"]

Impacts = tuple[int, int, int]


@dataclass(frozen=True)
class Meaning:
    """What a column is about.

    Parameters
    ----------
    words
        What it is, in words.
    role
        What the column is for.
    terms
        What it is called, in several languages; comma-separated.
    exposure
        How easily a quasi-identifier is found elsewhere.
    impacts
        Bodily, material and moral impact of its disclosure.
    ordered
        Whether its numbers and dates have an order that means something.
    law
        The article of the regulation that protects it.
    """

    words: str
    role: Role
    terms: str
    exposure: Exposure | None = None
    impacts: Impacts | None = None
    ordered: bool = False
    law: str = ""


def _direct(words: str, terms: str) -> Meaning:
    return Meaning(words, Role.DIRECT_IDENTIFIER, terms)


def _known(words: str, exposure: str, terms: str, *, ordered: bool = False) -> Meaning:
    return Meaning(words, Role.QUASI_IDENTIFIER, terms, Exposure[exposure], ordered=ordered)


def _sensitive(
    words: str, impacts: Impacts, terms: str, *, law: str = "", ordered: bool = False
) -> Meaning:
    return Meaning(words, Role.SENSITIVE, terms, impacts=impacts, law=law, ordered=ordered)


_ART_9 = "a special category of the GDPR, article 9"
_ART_10 = "protected by the GDPR, article 10"

MEANINGS: dict[str, Meaning] = {
    # ---- who it is
    "name": _direct(
        "a person's name",
        "=name, =names, full name, first name, firstname, forename, given name, last name, "
        "lastname, surname, family name, maiden name, middle name, initials, nickname, user name, "
        "patient name, customer name, client name, employee name, contact name, person name, "
        "mother name, father name, =nom, prenom, nom de famille, nom famille, nom naissance, "
        "nom usage, nom patient, nom complet, patronyme, vorname, nachname, familienname, "
        "geburtsname, rufname, =naam, voornaam, achternaam, familienaam, roepnaam, voorletters, "
        "tussenvoegsel, meisjesnaam, =nombre, nombre completo, apellido, apellidos",
    ),
    "email": _direct(
        "an e-mail address",
        "email, e mail, =mail, mail address, email address, e mail address, e mail adresse, "
        "adresse mail, adresse email, courriel, emailadres, mailadres, mailadresse, "
        "correo electronico, =correo",
    ),
    "phone": _direct(
        "a telephone number",
        "phone, phone number, telephone, tel, =mobile, mobile number, mobile phone, cell phone, "
        "fax, telefon, telefonnummer, handynummer, handy, mobilnummer, telefoon, telefoonnummer, "
        "mobiel, gsm, telefono, movil, numero telephone",
    ),
    "national id": _direct(
        "a number of a public register",
        "ssn, social security number, social security, nino, national insurance number, "
        "national id, nhs number, nhs no, nir, numero securite sociale, num secu, numero secu, "
        "securite sociale, bsn, burgerservicenummer, sofinummer, rijksregisternummer, "
        "numero national, rrn, dni, nif, nie, documento identidad, steuer id, steuernummer, "
        "steueridentifikationsnummer, sozialversicherungsnummer, svnr, rentenversicherungsnummer, "
        "versichertennummer, tax id, tin, passport, passport number, passeport, reisepass, "
        "reisepassnummer, paspoort, paspoortnummer, pasaporte, identity card, id card, ausweis, "
        "ausweisnummer, personalausweis, carte identite, driving licence, driver license, "
        "permis de conduire, fuhrerschein, rijbewijs, numero afiliacion, health card number",
    ),
    "person number": _direct(
        "a number that stands for one person",
        "patient id, patient no, patient nr, patient number, medical record number, mrn, "
        "person id, person number, participant id, subject id, respondent id, client id, "
        "customer id, customer number, employee id, employee no, employee number, "
        "personnel number, member id, user id, student id, case number, matricule, "
        "numero patient, numero client, identifiant patient, ipp, matrikelnummer, personalnummer, "
        "patientennummer, patienten id, kundennummer, fallnummer, patientnummer, personeelsnummer, "
        "klantnummer, dossiernummer, numero paciente, id paciente, id persona, numero historia",
    ),
    "account": _direct(
        "the number of an account or a card",
        "iban, bank account, account number, compte bancaire, numero compte, rib, kontonummer, "
        "bankverbindung, rekeningnummer, bankrekening, cuenta bancaria, numero cuenta, "
        "credit card, card number, creditcard, carte bancaire, kreditkarte, kreditkartennummer, "
        "creditcardnummer, tarjeta credito, numero tarjeta",
    ),
    "device": _direct(
        "an address on the internet or of a device",
        "ip address, =ip, ip adresse, ip adres, adresse ip, direccion ip, mac address, device id, "
        "imei, cookie id, advertising id, url, homepage, facebook, instagram, linkedin, twitter",
    ),
    "address": _direct(
        "a postal address",
        "address, street, street address, street name, house number, adresse, rue, voie, "
        "strasse, hausnummer, anschrift, adres, straat, straatnaam, huisnummer, direccion, "
        "calle, domicilio",
    ),
    "vehicle": _direct(
        "a number plate",
        "license plate, licence plate, number plate, plaque immatriculation, immatriculation, "
        "kfz kennzeichen, kennzeichen, kenteken, matricula vehiculo",
    ),
    "biometric": _direct(
        "a biometric trait",
        "fingerprint, biometric, iris scan, voice print, empreinte digitale, fingerabdruck, "
        "vingerafdruk, huella dactilar",
    ),
    # ---- what others know
    "birth date": _known(
        "a date of birth",
        "EE",
        "date of birth, birth date, birthdate, birthday, dob, =birth, =born, date de naissance, "
        "date naissance, ddn, naissance, geburtsdatum, geb dat, gebdat, geburtstag, "
        "geboortedatum, geb datum, gebdatum, geboren, fecha de nacimiento, fecha nacimiento, "
        "fec nac, fnac, nacimiento",
        ordered=True,
    ),
    "birth year": _known(
        "a year of birth",
        "EE",
        "year of birth, birth year, birthyear, yob, annee de naissance, annee naissance, "
        "geburtsjahr, geb jahr, geboortejaar, geb jaar, ano de nacimiento, ano nacimiento",
        ordered=True,
    ),
    "birth place": _known(
        "a place of birth",
        "EE",
        "place of birth, birth place, birthplace, lieu de naissance, lieu naissance, geburtsort, "
        "geboorteplaats, lugar de nacimiento, lugar nacimiento",
    ),
    "age": _known(
        "an age",
        "EE",
        "age, ages, age group, age class, alter, altersgruppe, altersklasse, lebensalter, "
        "leeftijd, leeftijdsgroep, leeftijdsklasse, lft, edad, grupo edad, tranche age",
        ordered=True,
    ),
    "sex": _known(
        "a sex or gender",
        "EE",
        "sex, gender, gndr, sexe, genre, civilite, geschlecht, geslacht, sexo, genero",
    ),
    "marital status": _known(
        "a marital status",
        "EE",
        "marital status, marital, married, marstat, civil status, situation matrimoniale, "
        "statut matrimonial, etat matrimonial, etat civil, familienstand, zivilstand, "
        "burgerlijke staat, estado civil, hhcivil, =civil",
    ),
    "nationality": _known(
        "a nationality",
        "EE",
        "nationality, citizenship, citizen, nationalite, citoyennete, staatsangehorigkeit, "
        "staatsangehoerigkeit, staatsburgerschaft, nationalitat, nationaliteit, staatsburgerschap, "
        "nacionalidad, ciudadania",
    ),
    "country": _known(
        "a country",
        "EE",
        "country, country of birth, country of origin, native country, birth country, pays, "
        "pays de naissance, pays naissance, =land, geburtsland, herkunftsland, geboorteland, "
        "land van herkomst, pais, pais nacimiento",
    ),
    "postcode": _known(
        "a postcode",
        "EE",
        "postcode, post code, postal code, zip, zip code, zcta, code postal, =cp, plz, "
        "postleitzahl, =pc, codigo postal, cod postal",
    ),
    "municipality": _known(
        "a place where people live",
        "EE",
        "municipality, city, town, village, hometown, place of residence, residence, commune, "
        "ville, localite, code insee, insee, lieu de residence, gemeinde, stadt, =ort, wohnort, "
        "ags, gemeindeschlussel, gemeente, gemeentecode, woonplaats, =plaats, =stad, municipio, "
        "ciudad, localidad, =nis",
    ),
    "region": _known(
        "a region",
        "EE",
        "region, province, county, =state, state code, district, =area, area code, departement, "
        "=dept, code departement, canton, bundesland, landkreis, =kreis, bezirk, provincie, "
        "regio, wijk, buurt, provincia, comunidad autonoma, puma, nuts, lsoa, msoa, borough, "
        "neighbourhood, neighborhood, quartier, stadtteil, barrio, arrondissement, census tract, "
        "block group",
    ),
    "urban": _known(
        "what kind of place people live in",
        "EE",
        "urban, rural, urban rural, urbrur, degurba, urbanisation, urbanization, milieu residence",
    ),
    "location": _known(
        "a position on the map",
        "EE",
        "latitude, longitude, =lat, =lon, =lng, coordinates, gps, geolocation, breitengrad, "
        "langengrad, laengengrad",
        ordered=True,
    ),
    "occupation": _known(
        "an occupation",
        "EE",
        "occupation, profession, job, job title, isco, metier, emploi, csp, "
        "categorie socioprofessionnelle, beruf, berufsgruppe, beroep, functie, ocupacion, "
        "profesion, oficio, social grade",
    ),
    "employer": _known(
        "an employer",
        "EE",
        "employer, company, workplace, employeur, entreprise, arbeitgeber, firma, werkgever, "
        "bedrijf, empleador, empresa",
    ),
    "education": _known(
        "an education",
        "EE",
        "education, educ, edu, schooling, degree, diploma, qualification, isced, niveau etudes, "
        "niveau d etudes, diplome, scolarite, bildung, bildungsstand, schulabschluss, "
        "opleiding, opleidingsniveau, educacion, nivel estudios, estudios, titulacion",
        ordered=True,
    ),
    "industry": _known(
        "an industry",
        "ER",
        "industry, naics, nace, economic sector, secteur, secteur activite, wirtschaftszweig, "
        "branche, bedrijfstak, sbi, industria, rama actividad",
    ),
    "work": _known(
        "a position at work",
        "ER",
        "economic activity, employment, employment status, employed, work status, labour status, "
        "labor status, workclass, work class, class of worker, situation professionnelle, "
        "statut activite, erwerbsstatus, erwerbstatigkeit, arbeidssituatie, situacion laboral, "
        "student, hours worked, self employed, weeks worked, veteran",
    ),
    "household size": _known(
        "the size of a household",
        "ER",
        "household size, hsize, hhsize, family size, persons in household, taille menage, "
        "taille du menage, nb personnes, haushaltsgrosse, haushaltsgroesse, huishoudgrootte, "
        "huishoudensgrootte, tamano hogar, tamano del hogar",
        ordered=True,
    ),
    "children": _known(
        "a number of children",
        "ER",
        "children, kids, number of children, nchild, nb enfants, nombre enfants, "
        "nombre d enfants, enfants, kinder, kinderzahl, anzahl kinder, kinderen, "
        "aantal kinderen, hijos, numero hijos",
        ordered=True,
    ),
    "family": _known(
        "a place in the household",
        "ER",
        "relationship, relat, relationship to head, family composition, family type, "
        "household type, lien parente, type menage, haushaltstyp, huishoudtype, "
        "gezinssamenstelling, parentesco, tipo hogar",
    ),
    "home": _known(
        "a feature of the home, which neighbours see",
        "ER",
        "housing, housing type, dwelling, tenure, own rent, residence type, house type, logement, "
        "type logement, statut occupation, wohnform, wohnung, woning, woningtype, vivienda, "
        "=roof, =walls, =water, electricity, electcon, =toilet",
    ),
    "language": _known(
        "a language",
        "ER",
        "language, mother tongue, langue, langue maternelle, sprache, muttersprache, taal, "
        "moedertaal, idioma, lengua materna",
    ),
    "body": _known(
        "a trait of the body, which others see",
        "ER",
        "height, body height, =taille, korpergrosse, koerpergroesse, lengte, estatura, "
        "eye color, eye colour, hair color, hair colour, shoe size, body weight, "
        "koerpergewicht, korpergewicht, lichaamsgewicht",
        ordered=True,
    ),
    "smoking": _known(
        "whether somebody smokes",
        "ER",
        "smoker, smoking, fumeur, tabagisme, raucher, roker, roken, fumador",
    ),
    "migration": _known(
        "a move from one place to another",
        "ER",
        "migration, previous residence, moved, moving, demenagement, umzug, verhuizing, mudanza",
    ),
    "event date": _known(
        "a date",
        "IE",
        "date, datum, fecha, timestamp, admission date, date admission, discharge date, "
        "visit date, date of death, death date, date entree, date sortie, date deces, "
        "aufnahmedatum, entlassungsdatum, sterbedatum, opnamedatum, ontslagdatum, "
        "overlijdensdatum, fecha ingreso, fecha alta, fecha defuncion",
        ordered=True,
    ),
    "organisation": _known(
        "a place or a person of the organisation that holds the data",
        "IE",
        "hospital, ward, department, clinic, physician, doctor, hopital, service, etablissement, "
        "medecin, krankenhaus, abteilung, arzt, ziekenhuis, afdeling, huisarts, servicio, medico, "
        "school, ecole, schule, escuela",
    ),
    "blood type": _known(
        "a blood type",
        "IR",
        "blood type, blood group, groupe sanguin, blutgruppe, bloedgroep, grupo sanguineo",
    ),
    # ---- what hits people
    "health": _sensitive(
        "health",
        (1, 3, 4),
        "health, health status, diagnosis, diagnoses, disease, illness, =icd, icd 10, icd code, "
        "medical condition, medication, medicine, drug, drugs, treatment, therapy, symptom, hiv, "
        "aids, cancer, tumor, diabetes, mental health, depression, psychiatric, pregnant, "
        "pregnancy, allergy, vaccination, blood pressure, cholesterol, glucose, bmi, surgery, "
        "test result, lab result, comorbidity, cause of death, addiction, alcohol, diagnostic, "
        "maladie, pathologie, sante, etat sante, =cim, cim 10, medicament, traitement, grossesse, "
        "diagnose, krankheit, erkrankung, gesundheit, medikament, behandlung, schwangerschaft, "
        "ziekte, aandoening, gezondheid, medicatie, zwangerschap, diagnostico, enfermedad, "
        "patologia, salud, medicamento, tratamiento, embarazo",
        law=_ART_9,
    ),
    "disability": _sensitive(
        "disability",
        (1, 3, 3),
        "disability, disabled, impairment, difficulty, handicap, invalidite, incapacite, "
        "behinderung, schwerbehinderung, beperking, arbeidsongeschikt, invaliditeit, "
        "discapacidad, minusvalia",
        law=_ART_9,
    ),
    "genes": _sensitive(
        "genes",
        (1, 3, 4),
        "genetic, genotype, dna, snp, genome, mutation, allele, genetique, adn, genetisch",
        law=_ART_9,
    ),
    "ethnicity": _sensitive(
        "ethnic origin",
        (2, 2, 3),
        "ethnicity, ethnic, ethnic group, race, racial, hispanic, hispanic origin, tribe, caste, "
        "skin color, skin colour, origine ethnique, ethnie, ethnische herkunft, "
        "migrationshintergrund, etniciteit, herkomst, afkomst, etnia, raza, origen etnico",
        law=_ART_9,
    ),
    "religion": _sensitive(
        "religion or belief",
        (2, 2, 4),
        "religion, religious, faith, belief, denomination, confession, konfession, "
        "religionszugehorigkeit, religionszugehoerigkeit, geloof, godsdienst, levensovertuiging, "
        "creencia",
        law=_ART_9,
    ),
    "politics": _sensitive(
        "political opinion",
        (2, 2, 4),
        "political, politics, political party, party preference, =party, vote, voted, voting, "
        "opinion politique, parti politique, =partei, politische meinung, wahlabsicht, "
        "politieke voorkeur, politieke partij, stemgedrag, opinion politica, partido politico, "
        "intencion voto, lrscale",
        law=_ART_9,
    ),
    "union": _sensitive(
        "membership of a trade union",
        (1, 3, 3),
        "trade union, union member, union membership, =union, syndicat, gewerkschaft, vakbond, "
        "sindicato, afiliacion sindical",
        law=_ART_9,
    ),
    "sexual life": _sensitive(
        "sexual life or orientation",
        (3, 2, 4),
        "sexual orientation, sexual, sex life, sexuality, gender identity, orientation sexuelle, "
        "sexuelle orientierung, seksuele geaardheid, seksuele voorkeur, orientacion sexual",
        law=_ART_9,
    ),
    "crime": _sensitive(
        "crime or conviction",
        (2, 3, 4),
        "criminal, criminal record, conviction, convicted, offence, offense, crime, arrest, "
        "arrested, prison, recidivism, casier judiciaire, condamnation, infraction, vorstrafe, "
        "vorstrafen, straftat, strafblad, veroordeling, delict, antecedentes penales, condena, "
        "delito",
        law=_ART_10,
    ),
    "income": _sensitive(
        "income",
        (1, 3, 2),
        "income, salary, wage, wages, earnings, pay, pension, revenu, revenus, salaire, "
        "remuneration, retraite, einkommen, gehalt, lohn, rente, inkomen, salaris, loon, pensioen, "
        "ingreso, ingresos, salario, sueldo, renta",
        ordered=True,
    ),
    "money": _sensitive(
        "a person's money",
        (1, 3, 2),
        "savings, wealth, assets, debt, debts, loan, expenditure, expenses, expend, "
        "capital gain, capital loss, dividends, credit score, tax, taxes, epargne, patrimoine, "
        "dette, dettes, depenses, vermogen, schulden, spaargeld, uitgaven, ersparnisse, ausgaben, "
        "ahorros, deuda, deudas, gasto, gastos, patrimonio",
        ordered=True,
    ),
    "benefits": _sensitive(
        "poverty or social benefits",
        (1, 3, 3),
        "poverty, social benefits, benefits, unemployment benefit, social assistance, welfare, "
        "allowance, pauvrete, allocation, allocations, rsa, armut, sozialhilfe, burgergeld, "
        "armoede, bijstand, uitkering, pobreza, subsidio",
        ordered=True,
    ),
    # ---- what serves the survey
    "weight": Meaning(
        "a survey weight",
        Role.WEIGHT,
        "sampling weight, survey weight, person weight, design weight, final weight, weighting, "
        "wgt, =wt, pweight, fnlwgt, dweight, pspwght, anweight, =w, expansion factor, "
        "ponderation, poids sondage, coefficient ponderation, gewichtung, gewichtungsfaktor, "
        "hochrechnungsfaktor, weegfactor, wegingsfactor, weging, factor elevacion, "
        "factor expansion, ponderacion, =weight, =weights, =poids, =gewicht, =peso",
    ),
    "household weight": Meaning(
        "a weight of households",
        Role.WEIGHT,
        "household weight, household weights, hh weight, hhwgt, housing weight, family weight",
    ),
    "household": Meaning(
        "a number of a household",
        Role.HOUSEHOLD,
        "household id, household number, household nr, =household, hhid, hid, hh id, family id, "
        "id menage, numero menage, identifiant menage, haushalt id, haushaltsnummer, "
        "haushaltsid, huishouden id, huishoudnummer, huishoudennummer, id hogar, hogar id, "
        "numero hogar, serialno",
    ),
    "year": Meaning("a year, of the survey it seems", Role.OTHER, "=year, =annee, =jahr, =jaar"),
}
