// Molecules in CSV files: what is read, and every error.
#include "tools/import/load/molecules.h"

#include <gmock/gmock.h>

#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using test::TemporaryFolder;
using test::texts_of;
using test::write_file;
using testing::ElementsAre;
using testing::IsEmpty;

// Water and carbon monoxide, with the second drug's atoms first.
struct MoleculeCase {
  std::string drugs = "id,logp,active\n10,0.5,1\n9,,0\n";
  std::string atoms =
      "charge,element,drug_id,id\n0,o,10,20\n,h,10,21\n0,c,9,3\n0,h,10,22\n0,o,9,4\n";
  std::string bonds =
      "id,drug_id,atom1_id,atom2_id,bond_type\n0,10,20,21,1\n1,9,3,4,3\n2,10,22,20,1\n";

  [[nodiscard]] Result<Molecules> parse() const {
    return parse_molecules({{"drugs.csv", drugs}, {"atoms.csv", atoms}, {"bonds.csv", bonds}});
  }
};

TEST(Molecules, are_joined_and_ordered_by_id) {
  const Result<Molecules> molecules = MoleculeCase().parse();
  ASSERT_TRUE(molecules) << errors_of(molecules);
  EXPECT_THAT(texts_of(molecules->names), ElementsAre("9", "10"));
  EXPECT_THAT(molecules->active, ElementsAre(false, true));
  EXPECT_THAT(molecules->atom_begin, ElementsAre(0, 2, 5));
  EXPECT_THAT(texts_of(molecules->elements), ElementsAre("c", "h", "o"));
  EXPECT_THAT(molecules->element, ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(molecules->bond_begin, ElementsAre(0, 1, 3));
  EXPECT_THAT(molecules->bond_first, ElementsAre(0, 2, 4));
  EXPECT_THAT(molecules->bond_second, ElementsAre(1, 3, 2));
  EXPECT_THAT(molecules->bond_types, ElementsAre(1, 3));
  EXPECT_THAT(molecules->bond_type, ElementsAre(1, 0, 0));
}

TEST(Molecules, ids_that_are_no_numbers_are_ordered_as_text) {
  MoleculeCase files;
  files.drugs = "id,active\r\n\"d9\",1.0\r\n\"d10\",0\r\n";
  files.atoms = "id,drug_id,element\na,d10,c\nb,d9,c\nc,d9,c\n";
  files.bonds = "id,drug_id,atom1_id,atom2_id,bond_type\nx,d9,b,c,7.0\n";
  const Result<Molecules> molecules = files.parse();
  ASSERT_TRUE(molecules) << errors_of(molecules);
  EXPECT_THAT(texts_of(molecules->names), ElementsAre("d10", "d9"));
  EXPECT_THAT(molecules->active, ElementsAre(false, true));
  EXPECT_THAT(molecules->bond_begin, ElementsAre(0, 0, 1));
  EXPECT_THAT(molecules->bond_first, ElementsAre(1));
  EXPECT_THAT(molecules->bond_types, ElementsAre(7));
}

TEST(Molecules, a_folder_has_three_tables) {
  const TemporaryFolder folder;
  write_file(folder.path("drugs.csv"), MoleculeCase().drugs);
  write_file(folder.path("atoms.csv"), MoleculeCase().atoms);
  EXPECT_EQ(
      errors_of(load_molecules(folder.path())),
      folder.path("bonds.csv") + ": error: cannot be opened: No such file or directory [E001]");
  write_file(folder.path("bonds.csv"), MoleculeCase().bonds);
  const Result<Molecules> molecules = load_molecules(folder.path());
  ASSERT_TRUE(molecules) << errors_of(molecules);
  EXPECT_EQ(molecules->element.size(), 5u);
}

TEST(BadMolecules, bad_path) {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  EXPECT_EQ(errors_of(load_molecules(path)),
            path + ": error: cannot be opened: No such file or directory [E001]");
  write_file(path, "");
  EXPECT_EQ(errors_of(load_molecules(path)),
            path + ": error: is empty, expected an SQLite file [E002]");
  write_file(path, "-- MySQL dump 10.13");
  EXPECT_EQ(errors_of(load_molecules(path)),
            path +
                ": error: begins with \"-- MySQL dump 10\", expected an SQLite file, or a folder "
                "with drugs.csv, atoms.csv and bonds.csv [E024]");
}

TEST(BadMolecules, bad_empty_tables) {
  MoleculeCase files;
  files.drugs = "\n";
  EXPECT_EQ(errors_of(files.parse()),
            "drugs.csv: error: is empty, expected a header and a row a line [E002]");
  files.drugs = "id,active\n";
  EXPECT_EQ(errors_of(files.parse()), "drugs.csv: error: has no rows [E002]");
}

TEST(BadMolecules, bad_header) {
  MoleculeCase files;
  files.drugs = "ID,active,active\n1,2,3\n";
  EXPECT_EQ(errors_of(files.parse()),
            "drugs.csv: line 1: error: the header has no column id [E024]\n"
            "drugs.csv: line 1: error: the header has more than one column active [E024]");
  files.drugs = "id,a\"b\n1,0\n";
  EXPECT_EQ(errors_of(files.parse()),
            "drugs.csv: line 1, column 5: error: found a quote inside a field, expected the whole "
            "field in quotes [E024]");
}

TEST(BadMolecules, bad_drugs) {
  MoleculeCase files;
  files.drugs = "id,active\n1,0\n1,1\n2\n3,2\n4,yes\n5,\n,1\n6,0.5\n7,-1\n";
  EXPECT_EQ(errors_of(files.parse()),
            "drugs.csv: line 3, column id: error: id \"1\" is that of line 2, expected another one "
            "[E011]\n"
            "drugs.csv: line 4: error: 1 column, but the header has 2 [E024]\n"
            "drugs.csv: line 5, column active: error: found \"2\", expected 0 or 1 [E024]\n"
            "drugs.csv: line 6, column active: error: found \"yes\", expected 0 or 1 [E024]\n"
            "drugs.csv: line 7, column active: error: found nothing, expected 0 or 1 [E024]\n"
            "drugs.csv: line 8, column id: error: found nothing, expected a value [E024]\n"
            "drugs.csv: line 9, column active: error: found \"0.5\", expected 0 or 1 [E024]\n"
            "drugs.csv: line 10, column active: error: found \"-1\", expected 0 or 1 [E024]");
}

TEST(BadMolecules, bad_atoms) {
  MoleculeCase files;
  files.atoms = "id,drug_id,element\n1,9,c\n2,8,c\n1,9,h\n3,9,\n4,,c\n";
  EXPECT_EQ(errors_of(files.parse()),
            "atoms.csv: line 3, column drug_id: error: found \"8\", expected the id of a drug "
            "[E012]\n"
            "atoms.csv: line 4, column id: error: id \"1\" is that of line 2, expected another one "
            "[E011]\n"
            "atoms.csv: line 5, column element: error: found nothing, expected a value [E024]\n"
            "atoms.csv: line 6, column drug_id: error: found nothing, expected the id of a drug "
            "[E012]");
}

TEST(BadMolecules, bad_bonds) {
  MoleculeCase files;
  files.bonds =
      "id,drug_id,atom1_id,atom2_id,bond_type\n0,8,20,21,1\n1,9,20,3,1\n2,9,3,20,1\n3,9,3,99,1\n"
      "4,9,3,4,single\n5,10,20,21,1\n6,10,21,20,1\n7,10,20,20,1\n5,10,20,22,1\n8,9,3,4,1.5\n";
  EXPECT_EQ(
      errors_of(files.parse()),
      "bonds.csv: line 2, column drug_id: error: found \"8\", expected the id of a drug [E012]\n"
      "bonds.csv: line 3, column atom1_id: error: atom \"20\" is one of drug \"10\", expected one "
      "of drug \"9\" [E012]\n"
      "bonds.csv: line 4, column atom2_id: error: atom \"20\" is one of drug \"10\", expected one "
      "of drug \"9\" [E012]\n"
      "bonds.csv: line 5, column atom2_id: error: found \"99\", expected the id of an atom [E012]\n"
      "bonds.csv: line 6, column bond_type: error: found \"single\", expected a whole number "
      "[E024]\n"
      "bonds.csv: line 8: error: atoms \"21\" and \"20\" have a bond in line 7, expected each bond "
      "once [E024]\n"
      "bonds.csv: line 9: error: a bond of atoms \"20\" and \"20\", expected two atoms [E024]\n"
      "bonds.csv: line 10, column id: error: id \"5\" is that of line 7, expected another one "
      "[E011]\n"
      "bonds.csv: line 11, column bond_type: error: found \"1.5\", expected a whole number [E024]");
}

TEST(BadMolecules, bad_utf8) {
  MoleculeCase files;
  files.atoms = "id,drug_id,element\n1,9,\xE9\n";
  EXPECT_EQ(errors_of(files.parse()),
            "atoms.csv: line 2, column 5: error: found the byte 0xe9, expected UTF-8 text [E024]");
}

}  // namespace
}  // namespace vecc::tools
