// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitBooks} from "../../src/SplitBooks.sol";
import {MoodyRecipient, StipendSender} from "../mocks/Recipients.sol";
import {Bench} from "../mocks/Bench.sol";
import {Vm, vm} from "../mocks/Vm.sol";

contract MerchantSplitTest is Bench {
    MerchantSplit private split;
    MoodyRecipient private a = new MoodyRecipient();
    address private b = person("b");
    address private c = person("c");

    function setUp() external {
        split = splitOf(address(a), b, c);
    }

    function test_takesPlainEthUnderTheStipendAndSaysSo() external {
        StipendSender sender = new StipendSender();
        vm.deal(address(this), 20);
        vm.expectEmit(address(split));
        emit MerchantSplit.PaymentReceived(address(sender), 10);
        vm.expectEmit(address(split));
        emit MerchantSplit.PaymentReceived(address(sender), 10);
        sender.sendBy{value: 20}(payable(address(split)));
        vm.assertEq(address(split).balance, 20, "arrived");
    }

    function test_refusesUnknownFunctions() external {
        (bool done,) = address(split).call(hex"deadbeef");
        vm.assertTrue(!done, "unknown selector");
        vm.deal(address(this), 1);
        (done,) = address(split).call{value: 1}(hex"00");
        vm.assertTrue(!done, "ETH with a stray byte");
    }

    function test_distributesEthByShares() external {
        give(address(split), 1_003);
        vm.recordLogs();
        split.distribute(ETH);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1, "one event whatever the number of payees");
        vm.assertEq(logs[0].topics[0], MerchantSplit.Distributed.selector, "Distributed");
        vm.assertEq(logs[0].topics[1], bytes32(0), "of ETH");
        vm.assertEq(logs[0].data, abi.encode(1_003, false), "all that ever came, and no wei kept");
        vm.assertEq(address(a).balance, 501, "a");
        vm.assertEq(b.balance, 300, "b");
        vm.assertEq(c.balance, 200, "c");
        vm.assertEq(address(split).balance, 2, "the remainder stays");
        vm.assertEq(split.totalReleased(), 1_001, "released");
    }

    function test_theRemainderCountsInTheNextDistribution() external {
        for (uint256 i; i < 10; ++i) {
            give(address(split), 1);
            split.distribute(ETH);
        }
        vm.assertEq(address(a).balance, 5, "a");
        vm.assertEq(b.balance, 3, "b");
        vm.assertEq(c.balance, 2, "c");
    }

    function test_distributesTokensByShares() external {
        usdc.mint(address(split), 1_003);
        usdt.mint(address(split), 10);
        vm.expectEmit(address(split));
        emit MerchantSplit.Distributed(address(usdc), 1_003, false);
        split.distribute(address(usdc));
        split.distribute(address(usdt));
        vm.assertEq(usdc.balanceOf(b), 300, "USDC");
        vm.assertEq(usdt.balanceOf(c), 1, "USDT, which answers nothing");
        vm.assertEq(split.totalReleased(IERC20(address(usdc))), 1_001, "USDC released");
        vm.assertEq(split.released(IERC20(address(usdt)), address(a)), 5, "USDT released to a");
        vm.assertEq(split.totalReleased(), 0, "tokens are apart from ETH");
    }

    function test_distributingNothingDoesNothing() external {
        vm.recordLogs();
        split.distribute(ETH);
        split.distribute(address(usdc));
        give(address(split), 100);
        split.distribute(ETH);
        vm.assertEq(vm.getRecordedLogs().length, 2, "PaymentReceived, Distributed");
        split.distribute(ETH);
        vm.assertEq(vm.getRecordedLogs().length, 0, "nothing the second time");
    }

    function test_releasesToOneAndTheRestLater() external {
        give(address(split), 1_000);
        vm.assertEq(split.releasable(b), 300, "due");
        vm.expectEmit(address(split));
        emit MerchantSplit.PaymentReleased(b, 300);
        split.release(payable(b));
        vm.assertEq(split.releasable(b), 0, "no more due");
        vm.assertEq(split.released(b), 300, "released");
        vm.assertEq(split.released(c), 0, "not to c");
        give(address(split), 1_000);
        split.distribute(ETH);
        vm.assertEq(b.balance, 600, "b is not paid twice");
        vm.assertEq(address(a).balance, 1_000, "a gets both");
        vm.assertEq(split.totalReleased(), 2_000, "all");
    }

    function test_releasesTokens() external {
        usdt.mint(address(split), 1_000);
        vm.expectEmit(address(split));
        emit MerchantSplit.ERC20PaymentReleased(IERC20(address(usdt)), c, 200);
        split.release(IERC20(address(usdt)), c);
        vm.assertEq(usdt.balanceOf(c), 200, "paid");
        vm.assertEq(split.releasable(IERC20(address(usdt)), b), 300, "b can still");
    }

    function test_aRefusedPartIsHeldAndReleasedLater() external {
        a.setRefuses(true);
        give(address(split), 1_000);
        vm.expectEmit(address(split));
        emit MerchantSplit.PushFailed(ETH, address(a), 500);
        split.distribute(ETH);
        vm.assertEq(b.balance + c.balance, 500, "the others are paid");
        vm.assertEq(split.releasable(address(a)), 500, "held");
        vm.assertEq(split.released(address(a)), 0, "not released");

        give(address(split), 1_000);
        vm.expectEmit(address(split));
        emit MerchantSplit.PushFailed(ETH, address(a), 1_000);
        split.distribute(ETH);

        a.setRefuses(false);
        split.release(payable(address(a)));
        vm.assertEq(address(a).balance, 1_000, "all that was held");
        vm.assertEq(split.totalReleased(), 2_000, "all");
        vm.recordLogs();
        split.distribute(ETH);
        vm.assertEq(vm.getRecordedLogs().length, 0, "and settled");
    }

    function test_aHeldPartOfOneUnitIsToldToo() external {
        a.setRefuses(true);
        give(address(split), 2);
        vm.expectEmit(address(split));
        emit MerchantSplit.PushFailed(ETH, address(a), 1);
        split.distribute(ETH);
    }

    function test_aHeldPartIsPaidByTheNextDistributionThatCan() external {
        a.setRefuses(true);
        give(address(split), 1_000);
        split.distribute(ETH);
        a.setRefuses(false);
        split.distribute(ETH);
        vm.assertEq(address(a).balance, 500, "paid without new money");
        vm.recordLogs();
        split.distribute(ETH);
        vm.assertEq(vm.getRecordedLogs().length, 0, "and settled");
    }

    function test_refusesWithOpenZeppelinsWords() external {
        vm.expectRevert("PaymentSplitter: account is not due payment");
        split.release(payable(b));
        vm.expectRevert("PaymentSplitter: account is not due payment");
        split.release(IERC20(address(usdc)), b);
        vm.expectRevert("PaymentSplitter: account has no shares");
        split.release(payable(person("stranger")));
        vm.expectRevert("PaymentSplitter: account has no shares");
        split.release(IERC20(address(usdc)), person("stranger"));
        give(address(split), 10);
        a.setRefuses(true);
        vm.expectRevert("Address: unable to send value, recipient may have reverted");
        split.release(payable(address(a)));
    }

    function test_readsAsOpenZeppelinDoes() external {
        vm.assertEq(split.payee(0), address(a), "payee 0");
        vm.assertEq(split.payee(2), c, "payee 2");
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x32));
        split.payee(3);
        vm.assertEq(split.shares(b), 3_000, "shares");
        vm.assertEq(split.shares(person("stranger")), 0, "shares of none");
        give(address(split), 100);
        split.distribute(ETH);
        vm.assertEq(split.released(person("stranger")), 0, "released to none");
        vm.assertEq(split.releasable(person("stranger")), 0, "releasable by none");
    }

    function test_theTokenFunctionsDoNotReachEth() external {
        give(address(split), 100);
        bytes memory refusal = abi.encodeWithSelector(SplitBooks.NotAToken.selector, ETH);
        vm.expectRevert(refusal);
        split.release(IERC20(ETH), b);
        vm.expectRevert(refusal);
        split.releasable(IERC20(ETH), b);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.NotAToken.selector, b));
        split.distribute(b);
    }

    /// @dev 64 of 100 parts are held: a six-bit counter would overflow to zero.
    function test_asManyPartsAsThereArePayeesCanBeHeld() external {
        address[] memory payees = new address[](100);
        uint32[] memory bps = new uint32[](100);
        for (uint256 i; i < 100; ++i) {
            (payees[i], bps[i]) = (person(string(abi.encode(i))), 100);
            if (i < 64) usdt.setBlocked(payees[i], true);
        }
        MerchantSplit many = splitOf(payees, bps);
        usdt.mint(address(many), 10_050);
        many.distribute(address(usdt));
        vm.assertEq(usdt.balanceOf(address(many)), 64 * 100 + 50, "64 parts and the remainder are held");
        usdt.setBlocked(payees[0], false);
        usdt.setBlocked(payees[63], false);
        many.distribute(address(usdt));
        vm.assertEq(usdt.balanceOf(payees[0]) + usdt.balanceOf(payees[63]), 200, "paid by the next");
        vm.assertEq(usdt.balanceOf(address(many)), 62 * 100 + 50, "62 are held on");
    }

    function test_splitsKeepTheirBooksApart() external {
        MerchantSplit other = splitOf(b, c);
        give(address(split), 1_000);
        give(address(other), 10_000);
        split.distribute(ETH);
        vm.assertEq(other.totalReleased(), 0, "untouched");
        vm.assertEq(other.releasable(b), 5_001, "still due");
    }

    function test_countsUpToTwoToThe120() external {
        uint256 most = type(uint120).max;
        usdc.mint(address(split), most);
        split.distribute(address(usdc));
        usdc.mint(address(split), 1);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.TooMuchReceived.selector, most + 1));
        split.distribute(address(usdc));
        give(address(split), 10);
        split.distribute(ETH);
        vm.assertEq(b.balance, 3, "no other token suffers");
    }
}
